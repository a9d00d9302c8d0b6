/** The environment of this process, which its workers get; a few of its variables also say what this process may use. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- handed on to workers, as an operator set it
  return process.env;
}
