/** The probe world and the reader of its strip: the public interface of `@dreamloop/worlds/probe`. */
export * from "@dreamloop/worlds/probe";
