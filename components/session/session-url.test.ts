import { describe, expect, it } from 'vitest';
import { PLAIN_URL, readSessionUrl, writeSessionUrl } from './session-url';

const read = (query: string) => readSessionUrl(new URLSearchParams(query));

describe('the session page’s address', () => {
  it('gives back what was written, so that a link shows the same picture', () => {
    const url = {
      axis: 'turns' as const,
      lens: 'cache-inflated' as const,
      from: 1_769_178_000_000,
      to: 1_769_181_600_000,
      sums: true,
      agents: true,
      event: 'a.b.compaction',
      at: 1_769_179_000_000,
      time: '14:03',
      turns: { chain: 'helper/1', context: 2 },
      note: 'n1',
    };
    expect(read(writeSessionUrl(new URLSearchParams(), url))).toEqual(url);
  });
  it('leaves defaults out and keeps what belongs to others', () => {
    const query = writeSessionUrl(new URLSearchParams('theme=dark&axis=turns'), { axis: 'time' });
    expect(query).toBe('theme=dark');
  });
  it('takes nothing from a broken address', () => {
    expect(read('axis=x&lens=<script>&from=yesterday&at=noon&turns=&context=2')).toEqual(PLAIN_URL);
    expect(read('turns=main&context=-1').turns).toEqual({ chain: 'main', context: null });
    expect(read('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).toMatchObject({ from: null, to: null });
  });
});
