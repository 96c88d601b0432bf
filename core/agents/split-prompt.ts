interface PromptParts {
  /** Without tokens read from or written to the cache. */
  input: number;
  cacheRead: number;
  cacheCreation: number;
}

/**
 * The parts of a prompt that includes its cached tokens. The parts never exceed the prompt, because some programs state a
 * cached part that they added up twice. Negative counts are returned unchanged.
 */
export function splitPrompt(prompt: number, cacheRead: number, cacheCreation: number): PromptParts {
  if (prompt < 0) return { input: prompt, cacheRead, cacheCreation };
  const read = Math.min(cacheRead, prompt);
  const rest = prompt - Math.max(0, read);
  const created = Math.min(cacheCreation, rest);
  return { input: rest - Math.max(0, created), cacheRead: read, cacheCreation: created };
}
