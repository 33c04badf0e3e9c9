//! Texture and surface objects, with the array or memory that each reads.

use super::memory::Memory;
use super::{CudaError, Result, ok, synchronize};
use cudarc::driver::sys::{self, CUarray_format as Format};
use plan::dtype::DType;
use plan::{AddressMode, Sampling, Texture, TextureKind};

// Flags of cuda.h, which are macros there.
const LAYERED: u32 = 0x01;
const SURFACE: u32 = 0x02;
const CUBEMAP: u32 = 0x04;
const GATHER: u32 = 0x08;
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
/// The largest width and height that can be gathered from.
const MOST_GATHERED: u32 = 32_768;

/// What an object reads.
#[derive(Debug)]
enum Texels {
    Linear(Memory),
    Array(sys::CUarray),
}

/// A texture or surface object of texels of its own. Freed when dropped.
#[derive(Debug)]
pub struct TextureObject {
    handle: u64,
    surface: bool,
    texels: Texels,
    texture: Texture,
}

impl TextureObject {
    /// Makes the object; its texels are not written yet.
    pub fn new(texture: &Texture) -> Result<Self> {
        let texels = match texture.kind {
            TextureKind::Linear => Texels::Linear(Memory::new(texture.bytes() as usize)?),
            _ => Texels::Array(array(texture)?),
        };
        let mut made = Self { handle: 0, surface: texture.sampling.is_none(), texels, texture: texture.clone() };
        // SAFETY: plain data of C, for which zeros are valid.
        let mut resource: sys::CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        match &made.texels {
            Texels::Array(array) => {
                resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
                resource.res.array.hArray = *array;
            }
            Texels::Linear(memory) => {
                resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
                resource.res.linear = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
                    devPtr: memory.address,
                    format: format(texture.dtype),
                    numChannels: texture.channels,
                    sizeInBytes: memory.bytes,
                };
            }
        }
        match &texture.sampling {
            Some(sampling) => {
                let how = described(texture, sampling);
                // SAFETY: the descriptions are valid for the call; what they name is kept by `made`.
                ok("cuTexObjectCreate", unsafe {
                    sys::cuTexObjectCreate(&mut made.handle, &resource, &how, std::ptr::null())
                })?;
            }
            // SAFETY: as above.
            None => ok("cuSurfObjectCreate", unsafe { sys::cuSurfObjectCreate(&mut made.handle, &resource) })?,
        }
        Ok(made)
    }

    /// What a kernel is given.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Do kernels write to it?
    pub fn is_surface(&self) -> bool {
        self.surface
    }

    /// Takes the texels from memory, where they begin at `offset`, to its end.
    pub fn take(&self, from: &Memory, offset: usize) -> Result<()> {
        self.copy(from, offset, true)
    }

    /// Puts the texels back there, to its end.
    pub fn put_back(&self, to: &Memory, offset: usize) -> Result<()> {
        self.copy(to, offset, false)
    }

    fn copy(&self, memory: &Memory, offset: usize, takes: bool) -> Result<()> {
        let bytes = self.texture.bytes() as usize;
        if offset.checked_add(bytes).is_none_or(|end| end > memory.bytes) {
            let message = "beyond the buffer".to_owned();
            return Err(CudaError { call: "cuMemcpy3D", name: "CUDA_ERROR_INVALID_VALUE".into(), message });
        }
        let there = memory.address + offset as u64;
        match &self.texels {
            Texels::Linear(own) => {
                let (to, from) = if takes { (own.address, there) } else { (there, own.address) };
                // SAFETY: both ranges have that many bytes and are kept to the end of the copy, which is waited for.
                ok("cuMemcpyDtoD", unsafe { sys::cuMemcpyDtoD_v2(to, from, bytes) })?;
            }
            Texels::Array(array) => {
                let [width, height, depth] = self.texture.extent.map(|extent| extent as usize);
                let row = width * self.texture.texel();
                let (memory, texels) =
                    (sys::CUmemorytype::CU_MEMORYTYPE_DEVICE, sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
                // SAFETY: plain data of C, for which zeros are valid, but for the kinds of memory, which follow.
                let mut copy: sys::CUDA_MEMCPY3D = unsafe {
                    let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
                    (*copy.as_mut_ptr()).srcMemoryType = if takes { memory } else { texels };
                    (*copy.as_mut_ptr()).dstMemoryType = if takes { texels } else { memory };
                    copy.assume_init()
                };
                (copy.WidthInBytes, copy.Height, copy.Depth) = (row, height, depth);
                if takes {
                    (copy.srcDevice, copy.srcPitch, copy.srcHeight, copy.dstArray) = (there, row, height, *array);
                } else {
                    (copy.dstDevice, copy.dstPitch, copy.dstHeight, copy.srcArray) = (there, row, height, *array);
                }
                // SAFETY: the array has these extents, the range of memory as many bytes; both are kept.
                ok("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) })?;
            }
        }
        // Within the device a copy is not waited for.
        synchronize()
    }
}

impl Drop for TextureObject {
    fn drop(&mut self) {
        // SAFETY: each was made by `new` and is destroyed once, the object before what it reads.
        unsafe {
            let _ = match (self.handle, self.surface) {
                (0, _) => sys::CUresult::CUDA_SUCCESS,
                (handle, true) => sys::cuSurfObjectDestroy(handle),
                (handle, false) => sys::cuTexObjectDestroy(handle),
            };
            if let Texels::Array(array) = self.texels {
                let _ = sys::cuArrayDestroy(array);
            }
        }
    }
}

fn array(texture: &Texture) -> Result<sys::CUarray> {
    let [width, height, depth] = texture.extent;
    let layers = match texture.kind {
        TextureKind::Layered => LAYERED,
        TextureKind::Cubemap => CUBEMAP,
        TextureKind::LayeredCubemap => CUBEMAP | LAYERED,
        TextureKind::Array | TextureKind::Linear => 0,
    };
    let gathers = layers == 0 && texture.axes == 2 && width.max(height) <= MOST_GATHERED;
    let there = |axis: u8, extent: u32| if axis <= texture.axes { extent as usize } else { 0 };
    let wanted = sys::CUDA_ARRAY3D_DESCRIPTOR {
        Width: width as usize,
        Height: there(2, height),
        Depth: if layers == 0 { there(3, depth) } else { depth as usize },
        Format: format(texture.dtype),
        NumChannels: texture.channels,
        Flags: layers | if texture.sampling.is_none() { SURFACE } else { 0 } | if gathers { GATHER } else { 0 },
    };
    let mut array = std::ptr::null_mut();
    // SAFETY: the pointers are valid for the call; the caller owns the array.
    ok("cuArray3DCreate", unsafe { sys::cuArray3DCreate_v2(&mut array, &wanted) })?;
    Ok(array)
}

fn described(texture: &Texture, sampling: &Sampling) -> sys::CUDA_TEXTURE_DESC {
    use sys::{CUaddress_mode as Mode, CUfilter_mode as Filter};
    let mode = |mode: AddressMode| match mode {
        AddressMode::Clamp => Mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Wrap => Mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Mirror => Mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => Mode::CU_TR_ADDRESS_MODE_BORDER,
    };
    let integers = !texture.dtype.is_float() && !sampling.fractions;
    // An array of one axis is filtered along a second one as well, at whose border an H200 takes half of every texel.
    let axis = |axis: u8| {
        if axis < texture.axes { mode(sampling.address[usize::from(axis)]) } else { Mode::CU_TR_ADDRESS_MODE_CLAMP }
    };
    sys::CUDA_TEXTURE_DESC {
        addressMode: [axis(0), axis(1), axis(2)],
        filterMode: if sampling.linear { Filter::CU_TR_FILTER_MODE_LINEAR } else { Filter::CU_TR_FILTER_MODE_POINT },
        flags: if integers { READ_AS_INTEGER } else { 0 }
            | if sampling.normalized { NORMALIZED_COORDINATES } else { 0 },
        maxAnisotropy: 0,
        mipmapFilterMode: Filter::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: [0.0; 4],
        reserved: [0; 12],
    }
}

fn format(dtype: DType) -> Format {
    match dtype {
        DType::F16 => Format::CU_AD_FORMAT_HALF,
        DType::U8 => Format::CU_AD_FORMAT_UNSIGNED_INT8,
        DType::I8 => Format::CU_AD_FORMAT_SIGNED_INT8,
        DType::U16 => Format::CU_AD_FORMAT_UNSIGNED_INT16,
        DType::I16 => Format::CU_AD_FORMAT_SIGNED_INT16,
        DType::U32 => Format::CU_AD_FORMAT_UNSIGNED_INT32,
        DType::I32 => Format::CU_AD_FORMAT_SIGNED_INT32,
        // The other types are no texel's.
        _ => Format::CU_AD_FORMAT_FLOAT,
    }
}
