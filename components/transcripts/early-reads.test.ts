import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { earlyReadsScript, takeEarlyRead } from './early-reads';

const PATH = '/api/v1/transcripts/1/messages?from=0&count=40';
let asked: string[];

/** Runs the script as a page does, over a server that answers as told. */
function begin(answer: () => Promise<Response>): void {
  const ask = (path: string) => {
    asked.push(path);
    return answer();
  };
  new Function('window', 'fetch', earlyReadsScript([PATH]))(window, ask);
}

beforeEach(() => {
  asked = [];
  vi.stubGlobal('window', {});
});
afterEach(() => vi.unstubAllGlobals());

it('hands over the answer to what the page’s HTML asked for, once', async () => {
  begin(() => Promise.resolve(new Response('early')));
  expect(asked).toEqual([PATH]);
  expect(await (await takeEarlyRead(PATH))?.text()).toBe('early');
  expect(await takeEarlyRead(PATH)).toBeNull();
});

it.each([
  ['was refused', () => Promise.resolve(new Response('', { status: 503 }))],
  ['came to nothing', () => Promise.reject(new Error('the server is away'))],
])('leaves what %s to be asked for anew', async (_what, answer) => {
  begin(answer);
  expect(await takeEarlyRead(PATH)).toBeNull();
});

it('gives nothing for what nobody asked for, nor where there is no window', async () => {
  expect(await takeEarlyRead(PATH)).toBeNull();
  vi.stubGlobal('window', undefined);
  expect(await takeEarlyRead(PATH)).toBeNull();
});

it('writes a script that no path can end', () => {
  expect(earlyReadsScript(['/</script><script>'])).not.toContain('<');
});
