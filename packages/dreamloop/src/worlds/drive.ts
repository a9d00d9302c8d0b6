/** The simulation behind the drive world: the public interface of `@dreamloop/worlds/drive`. */
export * from "@dreamloop/worlds/drive";
