import { type ModelCommandFlags, modelCommand } from './model.ts';

/** `model` for clusters to choose from; its JSON is what they come to alone. */
export async function planCommand(dir: string | undefined, flags: ModelCommandFlags): Promise<void> {
  await modelCommand(dir, flags, {
    shape: ({ decisions, meaning, sentences, warnings }) => ({
      ...decisions,
      sentences: meaning === null ? sentences : [meaning, ...sentences],
      warnings,
    }),
  });
}
