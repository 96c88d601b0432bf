import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readHookJson } from './read-hook-json';

const limits = { pauseMs: 5 };

describe('the JSON of a hook', () => {
  it('is read to the end of the stream, however it is split', async () => {
    const stream = new PassThrough();
    const reading = readHookJson(stream, limits);
    for (const byte of Buffer.from('\ufeff{"a":"ä}"}\n')) stream.write(Buffer.from([byte]));
    stream.end();
    expect(await reading).toEqual({ ok: true, value: { a: 'ä}' } });
  });

  it('is returned from an open stream once it is complete, and the stream is released', async () => {
    const stream = new PassThrough();
    stream.write('{"a":{}');
    const reading = readHookJson(stream, limits);
    stream.write('}\r\n');
    expect(await reading).toEqual({ ok: true, value: { a: {} } });
    expect(stream.destroyed).toBe(true);
  });

  it.each([
    ['', 'it is empty'],
    ['\n', 'it is empty'],
    ['{"a":', 'it is not JSON'],
    ['{"a":1}{"b":2}', 'it is not JSON'],
  ])('%j is refused with a reason', async (text, reason) => {
    const stream = new PassThrough();
    stream.end(text);
    expect(await readHookJson(stream, limits)).toEqual({ ok: false, reason });
  });

  it('times out on a silent stream', async () => {
    const reading = readHookJson(new PassThrough(), { ...limits, patienceMs: 10 });
    expect(await reading).toEqual({ ok: false, reason: 'it is empty' });
  });

  it('is not read beyond the size limit', async () => {
    const stream = new PassThrough();
    const reading = readHookJson(stream, { ...limits, maxBytes: 10 });
    stream.write('{"a":"0123456789"');
    expect(await reading).toEqual({ ok: false, reason: 'it is larger than 10 bytes' });
    expect(stream.destroyed).toBe(true);
  });

  it('counts as empty on a stream that fails', async () => {
    const stream = new PassThrough();
    const reading = readHookJson(stream, limits);
    stream.destroy(new Error('EISDIR'));
    expect(await reading).toEqual({ ok: false, reason: 'it is empty' });
  });
});
