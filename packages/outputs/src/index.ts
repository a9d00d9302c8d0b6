// Choosing
export { TARGET_FORMS, targetFor, targetsFor } from "./target-for.ts";
export type { TargetOptions } from "./target-for.ts";
// Targets
export { BENCHMARK_FORMAT_VERSION, BenchmarkOutputTarget } from "./bench/benchmark-output-target.ts";
export type { BenchmarkOutputTargetOptions } from "./bench/benchmark-output-target.ts";
export { measurementEnvironment } from "./bench/environment.ts";
export type { MeasurementEnvironment } from "./bench/environment.ts";
export { CompositeOutputTarget } from "./compose/composite-output-target.ts";
export type { CompositeOutputTargetOptions, NamedTarget, TargetFailure } from "./compose/composite-output-target.ts";
export { ImagesOutputTarget, imageFileName, DEFAULT_IMAGE_PARALLELISM } from "./images/images-output-target.ts";
export type { ImagesOutputTargetOptions } from "./images/images-output-target.ts";
export { DEFAULT_JPEG_QUALITY, DEFAULT_PNG_COMPRESSION_LEVEL, IMAGE_FORMATS } from "./images/image-encoder.ts";
export type { ImageEncoder, ImageFormat } from "./images/image-encoder.ts";
export { MjpegOutputTarget } from "./mjpeg/mjpeg-output-target.ts";
export type { MjpegOutputTargetOptions } from "./mjpeg/mjpeg-output-target.ts";
export {
  DEFAULT_MJPEG_QUALITY,
  MJPEG_BOUNDARY,
  MJPEG_CONTENT_TYPE,
  mjpegEncoder,
  multipartFrame,
} from "./mjpeg/mjpeg-stream.ts";
export { defaultBitrate } from "./mp4/default-bitrate.ts";
export { DEFAULT_KEY_FRAME_INTERVAL_SECONDS, Mp4OutputTarget } from "./mp4/mp4-output-target.ts";
export type { Mp4OutputTargetOptions } from "./mp4/mp4-output-target.ts";
export { RAW_FORMATS } from "./raw/raw-format.ts";
export type { RawFormat } from "./raw/raw-format.ts";
export { RawOutputTarget } from "./raw/raw-output-target.ts";
export type { RawOutputTargetOptions } from "./raw/raw-output-target.ts";
export { StreamOutputTarget } from "./raw/stream-output-target.ts";
export type { StreamOutputTargetOptions } from "./raw/stream-output-target.ts";
// What targets share
export { FrameTarget } from "./target/frame-target.ts";
export type { FrameSink, RunSummary, TargetFrame } from "./target/frame-target.ts";
export { VIDEO_TICKS_PER_SECOND } from "./target/frame-timeline.ts";
export type { FileSystem, OutputFile, PathFacts } from "./target/file-system.ts";
// Pictures that come in
export { PICTURE_TYPES, pictureType } from "./pictures/picture-type.ts";
export type { PictureType } from "./pictures/picture-type.ts";
export {
  cleanPicture,
  DEFAULT_MAX_PICTURE_PIXELS,
  PICTURE_FAULTS,
  pictureFacts,
  pictureFrame,
} from "./pictures/read-picture.ts";
export type {
  CleanPicture,
  CleanPictureOptions,
  PictureFacts,
  PictureFault,
  PictureFrameOptions,
  ReadPictureOptions,
} from "./pictures/read-picture.ts";
// Colour
export { i420Bytes } from "./color/i420.ts";
export type { I420Picture, VideoRange } from "./color/i420.ts";
export { i420ToRgb } from "./color/i420-to-rgb.ts";
export type { I420ToRgbOptions } from "./color/i420-to-rgb.ts";
export { rgbToI420 } from "./color/rgb-to-i420.ts";
export type { RgbToI420Options } from "./color/rgb-to-i420.ts";
// Encoders
export { codedSize, MIN_H264_SIDE } from "./encode/coded-size.ts";
export type { CodedSize } from "./encode/coded-size.ts";
export { ffmpegBackend } from "./encode/ffmpeg/ffmpeg-backend.ts";
export type { FfmpegBackendOptions } from "./encode/ffmpeg/ffmpeg-backend.ts";
export { HARDWARE_PREFERENCES } from "./encode/hardware.ts";
export type { HardwarePreference } from "./encode/hardware.ts";
export { ENCODER_NAMES, selectEncoder } from "./encode/select-encoder.ts";
export type { EncoderName, SelectEncoderOptions } from "./encode/select-encoder.ts";
export { SELF_TEST_TOLERANCE, selfTestEncoder } from "./encode/self-test/self-test.ts";
export type { SelfTestOptions } from "./encode/self-test/self-test.ts";
export { ENCODER_LATENCIES, KEY_FRAME_DEMANDS, VIDEO_CODECS } from "./encode/video-encoder.ts";
export type {
  DecodeOptions,
  EncodedFrame,
  EncodeOptions,
  EncoderLatency,
  KeyFrameDemand,
  VideoCodec,
  VideoEncoder,
  VideoEncoderBackend,
  VideoEncoderConfig,
  VideoEncoderEvents,
  VideoEncoderSettings,
} from "./encode/video-encoder.ts";
export { webCodecsBackend } from "./encode/webcodecs/webcodecs-backend.ts";
