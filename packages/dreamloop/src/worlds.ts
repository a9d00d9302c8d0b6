/** The probe world and the drive domain: the public interface of `@dreamloop/worlds`. */
export * from "@dreamloop/worlds";
