import { expect, test } from 'vitest';
import { filesOf } from '../tool-calls';
import { readEntry } from './entries';

/** The tool call of a script, as Codex 0.144 and newer store it. */
function callOf(input: string) {
  const payload = { type: 'custom_tool_call', name: 'exec', call_id: 'c', input };
  const [block] = readEntry({ type: 'response_item', payload }).blocks;
  if (block?.type !== 'tool_call') throw new Error('no tool call');
  return block;
}

test('labels a script by its first command', () => {
  const script =
    'const r = await tools.exec_command({\n  cmd: "rg \\"warn\\" src | head",\n  workdir: "/srv"\n});';
  expect(callOf(script)).toMatchObject({ label: 'rg "warn" src | head', text: script, isJson: false });
  expect(callOf('const r = await tools.exec_command({"cmd":"make"});').label).toBe('make');
});

test('labels a script without a command by its text', () => {
  expect(callOf('text(ALL_TOOLS.length);').label).toBe('text(ALL_TOOLS.length);');
  expect(callOf('await tools.exec_command({cmd: "\\x41"});').label).toContain('exec_command');
});

test('lists the files of a patch in a script', () => {
  const patch =
    '*** Begin Patch\\n*** Update File: /srv/a.ts\\n@@\\n-1\\n+2\\n*** Add File: b.ts\\n+3\\n*** End Patch';
  const files = [
    { path: '/srv/a.ts', isChange: true },
    { path: 'b.ts', isChange: true },
  ];
  expect(filesOf('exec', callOf(`text(await tools.apply_patch("${patch}"));`).input)).toEqual(files);
  const plain = `text(await tools.apply_patch(\`${patch.replaceAll('\\n', '\n')}\`));`;
  expect(filesOf('exec', callOf(plain).input)).toEqual(files);
});
