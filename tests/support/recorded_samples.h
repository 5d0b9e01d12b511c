// One small recorded space in each of the field's forms, as their writers write it.
#pragma once
#include <string>

namespace rooftune::test {

inline const std::string t4_sample =
    R"({"metadata": {"timeunit": "miliseconds"}, "schema_version": "1.0.0",
"results": [
 {"timestamp": "2023-12-22 09:54:05+00:00", "configuration": {"bx": 16, "pad": 0, "mode": "a"},
  "times": {"compilation": 918.5, "framework": 105.25, "search_algorithm": 0, "validation": 0, "runtimes": [4.0, 3.0, 5.0]},
  "invalidity": "correct", "correctness": 1, "objectives": ["time"],
  "measurements": [{"name": "time", "value": 4.0, "unit": ""}, {"name": "dram", "value": 2100194, "unit": ""}]},
 {"timestamp": "2023-12-22 09:54:06+00:00", "configuration": {"bx": 32, "pad": 0, "mode": "a"},
  "times": {"compilation": 900, "framework": 1, "search_algorithm": 0, "validation": 0, "runtimes": [2.0, 2.0]},
  "invalidity": "correct", "correctness": 1, "objectives": ["time"],
  "measurements": [{"name": "time", "value": 2.0, "unit": ""}]},
 {"timestamp": "2023-12-22 09:54:07+00:00", "configuration": {"bx": 32, "pad": 1, "mode": "b"},
  "times": {"compilation": 800, "framework": 2, "search_algorithm": 0, "validation": 0},
  "invalidity": "runtime", "correctness": 0, "objectives": ["time"],
  "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}]}
]})";

inline const std::string cachefile_sample = R"({
"device_name": "Card", "kernel_name": "conv", "problem_size": [4096, 4096],
"tune_params_keys": ["bx", "pad", "mode"], "tune_params": {"bx": [16, 32], "pad": [0, 1], "mode": ["a", "b"]},
"objective": "time", "cache": {
"16,0,a": {"bx": 16, "pad": 0, "mode": "a", "time": 4.0, "times": [4.0, 3.0, 5.0], "GFLOP/s": 1948.5, "compile_time": 918.5, "verification_time": 0, "benchmark_time": 126.5, "strategy_time": 0, "framework_time": 105.25, "timestamp": "2023-12-22 09:54:05+00:00"},
"32,0,a": {"bx": 32, "pad": 0, "mode": "a", "time": 2.0, "times": [2.0, 2.0], "compile_time": 900, "verification_time": 0, "benchmark_time": 1, "strategy_time": 0, "framework_time": 1, "timestamp": "2023-12-22 09:54:06+00:00"},
"32,1,b": {"bx": 32, "pad": 1, "mode": "b", "time": "RuntimeFailedConfig", "compile_time": 800, "verification_time": 0, "benchmark_time": 1, "strategy_time": 0, "framework_time": 2, "timestamp": "2023-12-22 09:54:07+00:00"}}
})";

inline const std::string ktt_sample =
    R"({"Metadata": {"ComputeApi": "CUDA", "Device": "Card", "KttVersion": "2.1.0",
 "TimeUnit": "Microseconds", "Timestamp": "2024-04-19 22:17:16 UTC"}, "Results": [
 {"ComputationResults": [{"Duration": 4000.0, "CompilationData": {"RegistersCount": 28}, "GlobalSize": {"X": 2048},
   "ProfilingData": {"Counters": [{"Name": "dram__sectors_read.sum", "Type": "Double", "Value": 2112507.0}]}}],
  "Configuration": [{"Name": "bx", "Value": 16, "ValueType": "UnsignedInt"}, {"Name": "pad", "Value": 0, "ValueType": "UnsignedInt"}],
  "KernelName": "conv", "SearcherOverhead": 40.0, "Status": "Ok", "TotalDuration": 4000.0, "TotalOverhead": 500000.0, "ValidationOverhead": 10.0},
 {"ComputationResults": [], "Configuration": [{"Name": "bx", "Value": 32, "ValueType": "UnsignedInt"}, {"Name": "pad", "Value": 1, "ValueType": "UnsignedInt"}],
  "KernelName": "conv", "SearcherOverhead": 40.0, "Status": "ComputationFailed", "TotalDuration": 0.0, "TotalOverhead": 500000.0, "ValidationOverhead": 0.0},
 {"ComputationResults": [{"Duration": 2000.0}], "Configuration": [{"Name": "bx", "Value": 32, "ValueType": "UnsignedInt"}, {"Name": "pad", "Value": 0, "ValueType": "UnsignedInt"}],
  "KernelName": "conv", "Status": "Ok", "TotalDuration": 2000.0, "TotalOverhead": 400000.0}]})";

inline const std::string t1_sample = R"T1({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "bx", "Type": "int", "Values": "[16, 32, 64]"},
  {"Name": "by", "Type": "int", "Values": "list(range(1, 5))"
},
  {"Name": "tile", "Type": "int", "Values": "[2**i for i in range(0, 3)]"},
  {"Name": "pad", "Type": "bool", "Values": "[0, 1]"},
  {"Name": "type", "Type": "string", "Values": "['float', 'half']"}],
 "Conditions": [{"Expression": "pad == 0 or bx % 32 != 0", "Parameters": ["pad", "bx"]},
                {"Expression": "16 <= bx * by <= 128 and not (tile == 4 and by == 3)", "Parameters": ["bx", "by", "tile"]}]
}
, "KernelSpecification" : {
  "Language" : "CUDA",
               "KernelName" : "convolution_kernel",
                              "KernelFile" : "convolution.cu",
                                             "GlobalSize" : {"X" : "4096 // bx"},
                                                            "LocalSize" : {
    "X" : "bx"
  }
}
})T1";

}  // namespace rooftune::test
