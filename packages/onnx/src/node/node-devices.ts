import type { InferenceSession } from "onnxruntime-node";

/** Devices beside the processor that ONNX Runtime 1.30 for Node offers, by system and processor (its README). */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  "linux x64": ["webgpu", "cuda"],
  "linux arm64": [],
  "win32 x64": ["webgpu", "dml"],
  "win32 arm64": ["webgpu", "dml"],
  "darwin x64": ["webgpu", "coreml"],
  "darwin arm64": ["webgpu", "coreml"],
};

/** The devices that ONNX Runtime for Node offers on a system, the processor first. Whether each works here depends on drivers and libraries. */
export function offeredDevices(platform: NodeJS.Platform, architecture: string): readonly string[] {
  return ["cpu", ...(OFFERED[`${platform} ${architecture}`] ?? [])];
}

/** The execution providers of a device, as the library takes them. What a device has no kernel for runs on the processor, which the library adds itself. */
export function providersOf(device: string): readonly InferenceSession.ExecutionProviderConfig[] {
  const [name = device, number] = device.split(":");
  if (name === "cpu") return ["cpu"];
  // Its own layout, channels last, gives errors of up to 1 in 100 in convolutions (measured in version 1.30.0); channels first gives 3 in 10 million.
  if (name === "webgpu") return [{ name, preferredLayout: "NCHW" }, "cpu"];
  return number === undefined ? [name, "cpu"] : [{ name, deviceId: Number(number) } as never, "cpu"];
}

/** Their names, for facts. */
export function providerNames(device: string): readonly string[] {
  const [name = device] = device.split(":");
  return name === "cpu" ? ["cpu"] : [name, "cpu"];
}

/** Why a device cannot be used, from what the library said when a graph was made for it; absent when it said something else. */
export function whyDeviceIsMissing(device: string, message: string): string | undefined {
  const [name] = device.split(":");
  if (name === "cpu") return undefined;
  if (/requires f16 but the device does not support it/.test(message)) {
    return "its driver does not compute in 16 bits (the feature shader-f16); leave precision out";
  }
  if (/WebGPU (?:adapter|device|context)/i.test(message)) {
    return "no graphics driver here suffices for WebGPU; on Linux it needs Vulkan, and VK_ICD_FILENAMES can name a driver. Use device=cpu, or install one";
  }
  if (
    /Failed to load shared library|libonnxruntime_providers|CUDA (?:failure|error)|cuda.*(?:driver|no .*device)/i.test(
      message,
    )
  ) {
    return `the libraries or the driver of ${name} are not here (${message}). onnxruntime-node gets its CUDA libraries when it is installed without ONNXRUNTIME_NODE_INSTALL=skip; CUDA 12 and cuDNN 9 have to be there too. Use device=cpu otherwise`;
  }
  if (/backend not found|no available backend|not (?:supported|available|enabled) in this build/i.test(message)) {
    return `this build of ONNX Runtime does not have it; use device=cpu`;
  }
  return undefined;
}
