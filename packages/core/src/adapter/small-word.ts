/** Whether a word of a prompt says little by itself, such as "a" and "of". */
export function isSmallWord(word: string): boolean {
  return /^\p{Script=Latin}{1,2}$/u.test(word);
}
