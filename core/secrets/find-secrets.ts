/** Apply all rules to a text and to its resolved escapes. */
import { gramsOf } from './grams';
import { keptRules } from './kept-rules';
import { ownRules } from './own-rules';
import { resolveEscapes } from './resolve-escapes';
import type { FoundSecret, SecretRule } from './secret-rule';

const RULES: readonly SecretRule[] = [...keptRules, ...ownRules];
/** Secrets per text and pass. */
const MAX_FOUND = 20_000;

/** Unordered, possibly overlapping places in `text`; a place includes its escapes completely. */
export async function findSecrets(
  text: string,
  rules: readonly SecretRule[] = RULES,
): Promise<FoundSecret[]> {
  const found: FoundSecret[] = [];
  await runRules(rules, text, (secret) => found.push(secret));
  const resolved = resolveEscapes(text);
  if (resolved === null) return found;
  const { placeOf } = resolved;
  await runRules(rules, resolved.text, ({ from, to, rule }) =>
    found.push({ from: placeOf(from), to: placeOf(to), rule }),
  );
  return found;
}

async function runRules(
  rules: readonly SecretRule[],
  text: string,
  report: (found: FoundSecret) => void,
): Promise<void> {
  const grams = gramsOf(text);
  let count = 0;
  for (const rule of rules) {
    await rule(
      text,
      (found) => {
        count += 1;
        if (count > MAX_FOUND) throw new TooManySecretsError();
        if (found.to > found.from) report(found);
      },
      grams,
    );
  }
}

export class TooManySecretsError extends Error {
  override readonly name = 'TooManySecretsError';
  constructor() {
    super('more places look like secrets than can be masked one by one');
  }
}
