// What kernels see of the driver's header.
#pragma once
typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;
