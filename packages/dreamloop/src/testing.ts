/** Conformance suites, fakes and the test card: the public interface of `@dreamloop/testing`. */
export * from "@dreamloop/testing";
