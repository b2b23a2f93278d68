/** What a command says when it ends. */
export interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function answer(stdout = ''): Answer {
  return { exitCode: 0, stdout, stderr: '' };
}

export function refusal(exitCode: number, stderr: string): Answer {
  return { exitCode, stdout: '', stderr: `${stderr}\n` };
}
