import { describe, expect, it } from 'vitest';
import { attachment } from './answer-bytes';

describe('the name a file is saved under', () => {
  it.each([
    ['session.jsonl', 'session.jsonl'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\x.txt', 'x.txt'],
    ['.bashrc', 'bashrc'],
    ['..', 'transcript'],
    ['', 'transcript'],
    ['a\r\nSet-Cookie: x', 'a__Set-Cookie_ x'],
    ['"; filename=evil', '_; filename=evil'],
    ['\u202egpj.exe', '_gpj.exe'],
    ['%2e%2e%2f', '_2e_2e_2f'],
  ])('%j is %j', (given, name) => {
    expect(attachment(given)).toContain(`filename="${name}"`);
    expect(attachment(given)).not.toMatch(/[\r\n]/);
  });

  it('stands in full for readers that know how', () => {
    expect(attachment("ä'(1).jsonl")).toBe(
      `attachment; filename="_'(1).jsonl"; filename*=UTF-8''%C3%A4%27%281%29.jsonl`,
    );
  });
});
