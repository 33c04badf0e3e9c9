//! A plan's arguments as the bytes that a kernel takes.

use crate::backend::objects::Objects;
use plan::{Arg, Launch, Object, Plan};
use simulator::Param;

/// The launch's arguments in the shape of the kernel's parameters.
pub(in crate::backend) fn arguments(
    launch: &Launch,
    params: &[Param],
    objects: Objects<'_>,
    plan: &Plan,
) -> Result<Vec<simulator::Arg>, String> {
    if launch.args.len() != params.len() {
        let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        return Err(format!(
            "`{}` takes {}, the launch gives {}",
            launch.kernel,
            count(params.len()),
            launch.args.len()
        ));
    }
    launch
        .args
        .iter()
        .zip(params)
        .enumerate()
        .map(|(position, (arg, param))| {
            let whose = format!("argument {} of `{}`", position + 1, launch.kernel);
            match *arg {
                Arg::Buffer(buffer) if param.size == 8 => {
                    Ok(simulator::Arg::Pointer(objects.value(Object::Buffer(buffer))))
                }
                Arg::Offset { buffer, bytes } if param.size == 8 => {
                    Ok(simulator::Arg::Pointer(objects.value(Object::Buffer(buffer)) + bytes))
                }
                Arg::Texture(texture) if param.size == 8 => {
                    let value = objects.value(Object::Texture(texture));
                    Ok(simulator::Arg::Bytes(value.to_le_bytes().to_vec()))
                }
                Arg::Texture(_) => {
                    Err(format!("{whose} is a texture or surface, the parameter no object (.{})", param.ty))
                }
                Arg::Buffer(_) | Arg::Offset { .. } => {
                    Err(format!("{whose} is a buffer, the parameter is no pointer (.{})", param.ty))
                }
                Arg::Structure(at) => {
                    let bytes = objects.structure(plan, at);
                    if bytes.len() == param.size as usize {
                        Ok(simulator::Arg::Bytes(bytes))
                    } else {
                        Err(format!("{whose} has {} bytes, the parameter {}", bytes.len(), param.size))
                    }
                }
                Arg::Int(value) => scalar(value, param.size, Some(&param.ty))
                    .map(simulator::Arg::Bytes)
                    .map_err(|e| format!("{whose}: {e}")),
                Arg::Real(value) => real(value, param.size, Some(&param.ty))
                    .map(simulator::Arg::Bytes)
                    .map_err(|e| format!("{whose}: {e}")),
            }
        })
        .collect()
}

/// The little-endian bytes of an integer for a parameter of `size` bytes; `ty` as PTX names it, where it is known. An
/// integer for a float parameter is converted, as C++ would.
pub(in crate::backend) fn scalar(value: i64, size: u32, ty: Option<&str>) -> Result<Vec<u8>, String> {
    match (ty, size) {
        (Some("f32"), 4) => return Ok((value as f32).to_le_bytes().to_vec()),
        (Some("f64"), 8) => return Ok((value as f64).to_le_bytes().to_vec()),
        _ => {}
    }
    let fits = match size {
        1 => (-0x80..=0xff).contains(&value),
        2 => (-0x8000..=0xffff).contains(&value),
        4 => (-0x8000_0000..=0xffff_ffff).contains(&value),
        8 => true,
        _ => return Err(format!("{value} for a parameter of {size} bytes: only integers and floats can be passed")),
    };
    if !fits {
        return Err(format!("{value} does not fit into the parameter's {size} bytes"));
    }
    Ok(value.to_le_bytes()[..size as usize].to_vec())
}

/// The little-endian bytes of a real for a float parameter.
pub(in crate::backend) fn real(value: f64, size: u32, ty: Option<&str>) -> Result<Vec<u8>, String> {
    match (ty, size) {
        (Some("f32") | None, 4) => Ok((value as f32).to_le_bytes().to_vec()),
        (Some("f64") | None, 8) => Ok(value.to_le_bytes().to_vec()),
        (Some(ty), _) => Err(format!("{value} for a parameter of type .{ty}: it is neither float nor double")),
        (None, _) => Err(format!("{value} for a parameter of {size} bytes: it is neither float nor double")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fit_their_parameter_or_are_refused() {
        assert_eq!(scalar(-1, 4, Some("u32")).unwrap(), [0xff; 4]);
        assert_eq!(scalar(0xffff_ffff, 4, Some("u32")).unwrap(), [0xff; 4]);
        assert_eq!(scalar(2, 4, Some("f32")).unwrap(), 2f32.to_le_bytes());
        assert!(scalar(1 << 32, 4, Some("u32")).unwrap_err().contains("does not fit"));
        assert!(scalar(1, 12, Some("b8")).unwrap_err().contains("12 bytes"));
        assert_eq!(real(0.5, 4, Some("f32")).unwrap(), 0.5f32.to_le_bytes());
        assert!(real(0.5, 4, Some("u32")).is_err());
        assert!(real(0.5, 2, None).is_err());
    }

    #[test]
    fn argument_count_and_kind_are_checked() {
        let param = |ty: &str, size| Param { ty: ty.into(), size, align: size };
        let launch = Launch {
            kernel: "k".into(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            args: vec![Arg::Buffer(0), Arg::Int(5)],
            cooperative: false,
            cluster: None,
            resident: None,
            line: 1,
        };
        let params = [param("u64", 8), param("u32", 4)];
        let objects = Objects { buffers: &[256], textures: &[] };
        let arguments = |params: &[Param]| super::arguments(&launch, params, objects, &Plan::default());
        assert_eq!(
            arguments(&params).unwrap(),
            [simulator::Arg::Pointer(256), simulator::Arg::Bytes(vec![5, 0, 0, 0])]
        );
        assert!(arguments(&params[..1]).unwrap_err().contains("takes 1 argument"));
        assert!(arguments(&[param("u32", 4), param("u32", 4)]).unwrap_err().contains("no pointer"));
    }
}
