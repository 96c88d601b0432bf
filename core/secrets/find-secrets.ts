/** Every rule over a text as it stands, and over what its escapes resolve to. */
import { gramsOf } from './grams';
import { keptRules } from './kept-rules';
import { ownRules } from './own-rules';
import { resolveEscapes } from './resolve-escapes';
import type { FoundSecret, SecretRule } from './secret-rule';

const RULES: readonly SecretRule[] = [...keptRules, ...ownRules];
/** Of one text: beyond it nobody reads them one by one. */
const MAX_FOUND = 20_000;

/** Places in `text`, in no order; they may overlap. One that was found through an escape has the whole of it. */
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
