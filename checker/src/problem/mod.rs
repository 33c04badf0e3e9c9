//! Problems as folders of CUDA and TOML: kernel-file lines, problem.toml, goals, the workbook.
