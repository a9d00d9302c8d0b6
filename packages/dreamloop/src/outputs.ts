/** Output targets and encoders: the public interface of `@dreamloop/outputs`. */
export * from "@dreamloop/outputs";
