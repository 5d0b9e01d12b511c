# Spack recipe: spack repo add packaging/spack (with a repo.yaml), or copy it into one of yours.
# The sources are those of this checkout: spack dev-build -d . rooftune@main
from spack.package import *


class Rooftune(CMakePackage):
    """An autotuner that knows how fast a kernel could run."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("kokkos", default=False, description="Run the kernels' Kokkos variants")

    depends_on("cxx", type=("build", "run"))
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost+context")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("numactl")
    depends_on("xxhash")
    depends_on("libpfm4", type="test")
    depends_on("zlib-api")
    depends_on("kokkos", when="+kokkos", type="run")

    def cmake_args(self):
        return [self.define("ROOFTUNE_TESTS", self.run_tests), self.define("ROOFTUNE_FETCH", False)]
