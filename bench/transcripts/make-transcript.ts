import type { Random } from '../lib/random';

/** Number of words. The n-th word occurs 1/n as often as the first (Zipf's law). */
const VOCABULARY = 60_000;

/** Words with the frequencies of a real transcript. */
export function createWords(random: Random): () => string {
  const vocabulary = Array.from(
    { length: VOCABULARY },
    (_, i) => COMMON[i] ?? `${SYLLABLES[i % 40] ?? ''}${SYLLABLES[(i >> 5) % 40] ?? ''}${i.toString(36)}`,
  );
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let i = 0; i < VOCABULARY; i += 1) {
    sum += 1 / (i + 1);
    sums[i] = sum;
  }
  return () => {
    const wanted = (random(1_000_000_000) / 1_000_000_000) * sum;
    let low = 0;
    let high = VOCABULARY - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) <= wanted) low = middle + 1;
      else high = middle;
    }
    return vocabulary[low] ?? 'word';
  };
}

const SYLLABLES =
  'ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu'.split(
    ' ',
  );
const COMMON =
  'the a to of in is file this that for it with as be on not are from error test return const function import read line'.split(
    ' ',
  );

/** Lines of Claude Code, about `bytes` bytes in all: calls, results and answers, with the usage of each call. */
export function* makeTranscript(
  words: () => string,
  random: Random,
  bytes: number,
  key: string,
): Generator<string> {
  const text = (count: number): string => Array.from({ length: count }, words).join(' ');
  let written = 0;
  for (let turn = 0; written < bytes; turn += 1) {
    const id = `${key}-${turn}`;
    const timestamp = new Date(1_780_000_000_000 + turn * 9_000).toISOString();
    const cached = 20_000 + (turn % 400) * 350;
    const usage = { input_tokens: 3, cache_read_input_tokens: cached, output_tokens: 300 };
    const line = (type: string, letter: string, message: object) => ({
      type,
      uuid: `${letter}${id}`,
      sessionId: key,
      timestamp,
      message,
    });
    const said = (letter: string, content: unknown) => line('user', letter, { role: 'user', content });
    const answered = (letter: string, call: string, content: object) =>
      line('assistant', letter, { id: `${call}${id}`, model: 'm', content: [content], usage });
    const input = { file_path: `/srv/${words()}/${words()}.ts` };
    const lines = [
      said('u', text(20)),
      answered('a', 'm', { type: 'tool_use', id: `t${id}`, name: 'Read', input }),
      said('r', [{ type: 'tool_result', tool_use_id: `t${id}`, content: text(200 + random(600)) }]),
      answered('b', 'n', { type: 'text', text: text(80) }),
    ];
    const block = lines.map((each) => `${JSON.stringify(each)}\n`).join('');
    written += block.length;
    yield block;
  }
}
