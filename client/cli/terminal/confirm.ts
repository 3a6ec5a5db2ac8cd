/** Yes or no, asked on the terminal. The library that asks is loaded only then. */

/** `initial`: what Enter alone means. No is also whoever leaves the question. */
export async function askYesOrNo(message: string, initial: boolean): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message, initialValue: initial });
  return !isCancel(answer) && answer;
}
