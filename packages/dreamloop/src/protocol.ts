/** What servers and pages say to each other: the public interface of `@dreamloop/protocol`. */
export * from "@dreamloop/protocol";
