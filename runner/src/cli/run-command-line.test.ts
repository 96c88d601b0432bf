import { describe, expect, it } from 'vitest';
import { runCli } from './testing/run-cli';

const COMMANDS = ['connect', 'import', 'watch', 'hook', 'archives', 'demo', 'doctor'];
const run = (...args: string[]) => runCli(args);
const refused = (problems: string) => ({ code: 2, problems });

describe('the barograph command', () => {
  it('lists its commands without arguments, with exit code 2', async () => {
    const { code, lines } = await run();
    expect(code).toBe(2);
    for (const name of COMMANDS) expect(lines).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it('prints its version and the help of each command', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, lines: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    for (const name of COMMANDS) {
      const { code, lines } = await run(name, '--help');
      expect(code).toBe(0);
      expect(lines).toMatch(new RegExp(`^usage: barograph ${name} `));
      expect(lines).toContain('--url URL');
      expect((await run('help', name)).lines).toBe(lines);
    }
  });

  it('limits a token to one project with the option that the protocol names', async () => {
    expect((await run('token', '--help')).lines).toContain('--project NAME');
  });

  it('rejects an unknown command with the nearest one', async () => {
    expect(await run('imprt')).toMatchObject(
      refused('Unknown command "imprt". Did you mean "barograph import"?'),
    );
  });

  it('rejects an unknown option with the nearest one', async () => {
    expect(await run('watch', '--from-strat')).toMatchObject(
      refused('Unknown option "--from-strat" of barograph watch. Did you mean "--from-start"?'),
    );
    expect((await run('demo', '-x')).problems).toMatch(/^Unknown option "-x" of barograph demo/);
  });

  it('rejects missing and extra arguments, and invalid values', async () => {
    expect(await run('import')).toMatchObject(refused(expect.stringContaining('Missing argument')));
    expect(await run('doctor', 'now')).toMatchObject({ code: 2, problems: expect.stringContaining('"now"') });
    expect(await run('demo', '--speed', 'fast')).toMatchObject(
      refused('--speed takes a number from 0.01 to 1000, not "fast".'),
    );
    expect(await run('demo', '--scenario', 'demo-flet')).toMatchObject(
      refused('Unknown scenario "demo-flet". Did you mean "demo-fleet"?'),
    );
  });
});
