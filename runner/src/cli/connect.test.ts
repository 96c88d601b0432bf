import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONNECTION } from '../testing/settings';
import { runCommandLine } from './run-command-line';
import { runCli } from './testing/run-cli';

const ORIGINAL = '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}';
const { PATH } = process.env;
let home: string;
let settings: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'connect-'));
  settings = join(home, '.claude', 'settings.json');
  mkdirSync(join(home, 'bin'));
  for (const name of [
    'BAROGRAPH_DATA_DIR',
    'BAROGRAPH_CONFIG_DIR',
    'XDG_CONFIG_HOME',
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'GEMINI_CLI_HOME',
    'XDG_DATA_HOME',
  ])
    vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', home);
  vi.stubEnv('PATH', join(home, 'bin'));
  vi.stubEnv('BAROGRAPH_DATA_DIR', join(home, 'data'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function installClaude(text: string | null = ORIGINAL): void {
  mkdirSync(join(home, '.claude'), { recursive: true });
  if (text !== null) writeFileSync(settings, text);
}

const read = (file = settings) => readFileSync(file, 'utf8');
const connect = (...args: string[]) => runCli(['connect', '--yes', ...args]);
const disconnect = (...args: string[]) => runCli(['disconnect', '--yes', ...args]);

describe('barograph connect', () => {
  it('shows the changed lines, and writes them only after --yes', async () => {
    installClaude();
    const dry = await runCli(['connect', '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.lines).toContain(`--- ${settings}\n+++ ${settings}\n@@ -1,6 +1,`);
    expect(dry.lines).toContain('+\t\t"PreCompact": [');
    expect(dry.lines).not.toContain('-\t"model"');
    expect(await runCli(['connect'])).toMatchObject({ code: 2, problems: expect.stringContaining('--yes') });
    const answers: string[] = [];
    const out = {
      line: (text = '') => answers.push(text),
      problem: () => undefined,
      progress: () => undefined,
    };
    const context = { out, signal: new AbortController().signal, now: Date.now };
    const declined = await runCommandLine(['connect'], { ...context, confirm: async () => false });
    expect([declined, answers.at(-1)]).toEqual([1, 'Nothing was written.']);
    expect(read()).toBe(ORIGINAL);
    expect(await connect()).toMatchObject({
      code: 0,
      lines: expect.stringContaining('Connected: Claude Code'),
    });
    expect(read()).toContain(`BAROGRAPH_DATA_DIR=${home}/data `);
    expect(await connect()).toMatchObject({
      code: 0,
      lines: expect.stringContaining('is connected already'),
    });
  });

  it.each(['', '\n\n'])('is undone byte for byte in the blank settings %j', async (blank) => {
    installClaude(blank);
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await connect()).toMatchObject({ code: 0 });
    expect(JSON.parse(read()).hooks).toHaveProperty('PreCompact');
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(read()).toBe(blank);
  });

  it('is undone byte for byte, also for new files and after a second connect', async () => {
    installClaude();
    mkdirSync(join(home, '.codex'));
    await connect();
    expect((await connect('--project', 'night shift')).lines).toContain('+');
    expect(read()).toContain("BAROGRAPH_PROJECT='night shift'");
    // Codex warns of a longer timeout of this event at each start.
    expect(JSON.parse(read(join(home, '.codex', 'hooks.json'))).hooks).toMatchObject({
      SessionEnd: [{ hooks: [{ timeout: 3 }] }],
      PreCompact: [{ hooks: [{ timeout: 10 }] }],
    });
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(read()).toBe(ORIGINAL);
    expect(readdirSync(join(home, '.codex'))).toEqual([]);
    expect(readdirSync(join(home, '.config', 'barograph', 'connect'))).toEqual([]);
    expect((await disconnect()).lines).toContain('No agent is connected.');
  });

  it('adds the hooks for notes and warnings, keeps them later, and undoes them byte for byte', async () => {
    installClaude();
    mkdirSync(join(home, '.codex'));
    expect(await connect()).toMatchObject({ code: 0 });
    expect(read()).not.toContain('recall-hook');
    expect(await connect('--recall')).toMatchObject({ code: 0 });
    expect(await connect('--project', 'night shift')).toMatchObject({ code: 0 });
    expect(read().match(/ recall-hook \|\| true"/g)).toHaveLength(2);
    const { hooks } = JSON.parse(read(join(home, '.codex', 'hooks.json')));
    expect(hooks.SessionStart).toMatchObject([{}, { matcher: 'compact', hooks: [{ timeout: 10 }] }]);
    expect(read()).not.toContain('warn-hook');
    expect(await connect('--warn')).toMatchObject({ code: 0 });
    expect(await connect('--project', 'day shift')).toMatchObject({ code: 0 });
    expect(read().match(/ (recall|warn)-hook \|\| true"/g)).toHaveLength(4);
    expect(JSON.parse(read(join(home, '.codex', 'hooks.json'))).hooks.PostToolUse).toHaveLength(1);
    await disconnect();
    expect(read()).toBe(ORIGINAL);
    expect(readdirSync(join(home, '.codex'))).toEqual([]);
  });

  it('adds the MCP server with --mcp, keeps it and the user’s own, and is undone byte for byte', async () => {
    installClaude();
    const [state, toml] = [join(home, '.claude.json'), join(home, '.codex', 'config.toml')];
    const own = '{"numStartups":3,"mcpServers":{"files":{"command":"files"}}}';
    const model = 'model = "gpt-5"';
    writeFileSync(state, own);
    mkdirSync(join(home, '.codex'));
    writeFileSync(toml, model);
    await connect();
    expect([read(state), read(toml)]).toEqual([own, model]);
    expect(await connect('--mcp')).toMatchObject({ code: 0 });
    expect(await connect('--project', 'night shift', '--token', 'bg_secret')).toMatchObject({ code: 0 });
    expect(JSON.parse(read(state)).mcpServers).toEqual({
      files: { command: 'files' },
      barograph: {
        command: process.execPath,
        args: [expect.any(String), 'mcp'],
        env: {
          BAROGRAPH_CONFIG_DIR: join(home, '.config', 'barograph'),
          BAROGRAPH_DATA_DIR: join(home, 'data'),
          BAROGRAPH_PROJECT: 'night shift',
        },
      },
    });
    expect(read(toml)).toContain('\n[mcp_servers.barograph]\ncommand = ');
    writeFileSync(state, read(state).replace('"numStartups":3', '"numStartups":4'));
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect([read(state), read(toml)]).toEqual([own.replace('3', '4'), model]);
    // A new file of Claude Code, and a server that the user added.
    rmSync(state);
    await connect('--mcp', 'claude-code');
    expect(JSON.parse(read(state))).toHaveProperty('mcpServers.barograph');
    await disconnect();
    expect(existsSync(state)).toBe(false);
    const users = '{\n  "mcpServers": {\n    "barograph": { "command": "npx" }\n  }\n}\n';
    writeFileSync(state, users);
    expect((await connect('--mcp')).lines).toContain('Claude Code keeps your own MCP server "barograph".');
    await disconnect();
    expect(read(state)).toBe(users);
  });

  it('is undone without losing edits that the user made since', async () => {
    installClaude();
    await connect();
    writeFileSync(settings, read().replace('"opus"', '"haiku"'));
    await connect('--project', 'x');
    writeFileSync(settings, read().replace('{', '{\r\n\t"language": "english",'));
    await disconnect('claude-code');
    const language = '{\r\n\t"language": "english",';
    expect(read()).toBe(ORIGINAL.replace('"opus"', '"haiku"').replace('{', language));
  });

  it('is undone with the original texts in the folder of --config-dir', async () => {
    installClaude('{"model":"opus"}');
    const [first, second] = [join(home, "a 'b'"), join(home, 'second')];
    await connect('--config-dir', first, '--token', 'bg_secret');
    // Without the original text, the empty hooks would be removed.
    writeFileSync(settings, read().replace('"model"', '"Model"'));
    await connect('--config-dir', second, '--token', 'bg_secret');
    expect(readdirSync(join(first, 'connect')).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(read()).toBe('{"Model":"opus"}');
    expect(readdirSync(join(second, 'connect'))).toEqual([]);
    expect(readdirSync(join(home, '.config', 'barograph', 'connect'))).toEqual([]);
  });

  it('connects Gemini CLI with its own event names and timeouts, and is undone byte for byte', async () => {
    const original = '{\n  "hooks": {\n    "BeforeTool": []\n  }\n}\n';
    vi.stubEnv('GEMINI_CLI_HOME', join(home, 'moved'));
    const file = join(home, 'moved', '.gemini', 'settings.json');
    mkdirSync(join(home, 'moved', '.gemini'), { recursive: true });
    writeFileSync(file, original);
    expect(await connect('gemini')).toMatchObject({ code: 0 });
    const { hooks } = JSON.parse(read(file));
    expect(Object.keys(hooks)).toEqual(['BeforeTool', 'SessionStart', 'SessionEnd', 'PreCompress']);
    expect(hooks.PreCompress).toMatchObject([{ matcher: 'manual', hooks: [{ timeout: 10_000 }] }]);
    expect((await runCli(['connect', '--list'])).lines).toContain(`connected in ${file}`);
    await disconnect('gemini');
    expect(read(file)).toBe(original);
  });

  it('keeps links, rights and the folder of a moved installation', async () => {
    const target = join(home, 'dotfiles.json');
    writeFileSync(target, '{}');
    chmodSync(target, 0o640);
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, 'claude'));
    mkdirSync(join(home, 'claude'));
    symlinkSync(target, join(home, 'claude', 'settings.json'));
    await connect('claude-code');
    expect(lstatSync(join(home, 'claude', 'settings.json')).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(read(target)).toContain('PreCompact');
    await disconnect('claude-code');
    expect(read(target)).toBe('{}');
    expect(readdirSync(join(home, 'claude'))).toEqual(['settings.json']);
  });

  it('connects the other agents if the settings of one are invalid', async () => {
    installClaude();
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex', 'hooks.json'), '{\n"hooks": ]}');
    const reason = `${home}/.codex/hooks.json was not changed: Codex does not read it, because line 2 is not valid JSON: value expected.`;
    const { code, lines, problems } = await connect();
    expect([code, problems.split('\n')[0]]).toEqual([1, reason]);
    expect(lines).toMatch(/^Connected: Claude Code\. .*\nNot connected: Codex\.$/m);
    expect(read()).toContain('PreCompact');
    await disconnect('claude-code');
    writeFileSync(settings, Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await connect('claude-code')).problems).toContain('it is not UTF-8 text');
    expect((await runCli(['connect', '--list'])).lines).toContain('not UTF-8');
  });

  it.each([
    ['{} // mine', 'line 1 has a comment'],
    ['{"model": "opus",}', 'line 1 has a comma before a bracket'],
  ])('does not connect Claude Code with the settings %j, which it ignores', async (text, reason) => {
    installClaude(text);
    expect(await connect()).toMatchObject({ code: 1, problems: expect.stringContaining(reason) });
    expect(read()).toBe(text);
    expect((await runCli(['connect', '--list'])).lines).toContain(reason);
  });

  it('does not call settings connected after the user adds a comment, and still removes its hooks', async () => {
    installClaude('{}');
    await connect();
    writeFileSync(settings, `// mine\n${read()}`);
    const { lines } = await runCli(['connect', '--list']);
    expect(lines).toContain('Claude Code does not read it, because line 1 has a comment');
    expect(await connect()).toMatchObject({ code: 1 });
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(read()).toBe('// mine\n{}');
  });

  it('keeps a byte order mark for Claude Code, and comments for Gemini CLI', async () => {
    installClaude('\uFEFF{"model": "opus"}');
    const gemini = join(home, '.gemini', 'settings.json');
    mkdirSync(join(home, '.gemini'));
    writeFileSync(gemini, '{\n  // mine\n}\n');
    expect(await connect()).toMatchObject({ code: 0 });
    expect(read()).toMatch(/^\uFEFF\{[\s\S]*PreCompact/);
    expect(read(gemini)).toMatch(/PreCompress[\s\S]*\/\/ mine/);
    await disconnect();
    expect([read(), read(gemini)]).toEqual(['\uFEFF{"model": "opus"}', '{\n  // mine\n}\n']);
    writeFileSync(gemini, '\uFEFF{}');
    expect((await connect('gemini')).problems).toContain('it begins with a byte order mark');
  });

  it('reports what the agents’ own programs refuse of their settings', async () => {
    installClaude('{}');
    mkdirSync(join(home, '.codex'));
    const toml = join(home, '.codex', 'config.toml');
    const says = `Claude Code doctor\n\nInvalid settings\n- ${settings} › model: Expected string\n- ${settings} › hooks.X: Unknown hook event was ignored.\n- /other: x\n\nUpdates`;
    writeFileSync(join(home, 'bin', 'claude'), `#!/bin/sh\n[ "$1" = doctor ] && printf '${says}'\n`, {
      mode: 0o755,
    });
    const fails = `Error: failed\n\nCaused by:\n    0: ${toml}:1:11: invalid basic string\n    1: TOML\n`;
    writeFileSync(join(home, 'bin', 'codex'), `#!/bin/sh\nprintf '${fails}' >&2; exit 1\n`, { mode: 0o755 });
    const { code, lines, problems } = await connect();
    expect(code).toBe(1);
    expect(problems).toContain(`Claude Code refuses: ${settings} › model: Expected string\nCodex`);
    expect(problems).toContain(`Codex refuses: ${toml}:1:11: invalid basic string`);
    expect(lines).toContain('Not connected: Claude Code, Codex.');
    const listed = (await runCli(['connect', '--list'])).lines;
    expect(listed).toContain(`${toml}:1:11: invalid basic string`);
  });

  it('names a dangling link and a folder without a right to it, and connects the other agents', async () => {
    installClaude(null);
    symlinkSync(join(home, 'gone.json'), settings);
    mkdirSync(join(home, '.codex', 'hooks.json'), { recursive: true });
    mkdirSync(join(home, '.gemini'));
    const { code, lines, problems } = await connect();
    expect(code).toBe(1);
    expect(problems).toContain(
      `${settings} was not changed: it links to ${home}/gone.json, which does not exist.`,
    );
    expect(problems).toContain('hooks.json was not changed: it cannot be read, because it is a folder.');
    expect(lines).toMatch(/^Connected: Gemini CLI\./m);
    expect(lines).toContain('Not connected: Claude Code, Codex.');
  });

  it('removes the hooks from the folder of an earlier CLAUDE_CONFIG_DIR', async () => {
    installClaude('{}');
    mkdirSync(join(home, 'moved'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, 'moved'));
    await connect('--mcp');
    vi.stubEnv('CLAUDE_CONFIG_DIR', undefined);
    await connect();
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect([read(), readdirSync(join(home, 'moved'))]).toEqual(['{}', []]);
  });

  it('names a file that it cannot write', async () => {
    installClaude();
    writeFileSync(join(home, '.config'), '');
    expect(await connect('--no-watch')).toMatchObject({
      code: 1,
      problems: expect.stringContaining('.config'),
    });
    expect(read()).toBe(ORIGINAL);
  });

  it('finds agents by their program, and names those that need no settings', async () => {
    for (const program of ['claude', 'opencode'])
      writeFileSync(join(home, 'bin', program), '', { mode: 0o755 });
    const { lines } = await runCli(['connect', '--list']);
    expect(lines).toMatch(/^· Claude Code +not connected\n +→ Connect it: barograph connect claude-code$/m);
    expect(lines).toMatch(/^· OpenCode +needs no settings: `barograph watch` reads its database$/m);
    expect(lines).not.toMatch(/Codex|Gemini/);
    const done = await connect();
    expect(done.lines).toContain('OpenCode needs no settings: ');
    expect(existsSync(settings)).toBe(true);
    expect((await runCli(['connect', '--list'])).lines).toContain(`connected in ${settings}`);
    expect(await connect('opencode')).toMatchObject({
      code: 0,
      lines: expect.stringContaining('Connected: OpenCode.'),
    });
    expect(await connect('codex')).toMatchObject({
      code: 2,
      problems: expect.stringContaining('no program "codex"'),
    });
    expect((await connect('claude')).problems).toContain('Unknown agent "claude". Known agents: claude-code');
  });

  it('writes the options and variables of the shell into the settings, but not its token', async () => {
    installClaude();
    vi.stubEnv('BAROGRAPH_URL', 'http://127.0.0.1:9');
    vi.stubEnv('BAROGRAPH_TOKEN', 'bg_secret');
    expect((await connect('--no-content')).problems).toContain('BAROGRAPH_TOKEN is a secret');
    expect(read()).toContain('BAROGRAPH_URL=http://127.0.0.1:9 ');
    expect(read()).toContain('BAROGRAPH_CONTENT=off ');
    expect(read()).not.toContain('bg_secret');
  });

  it('writes OTLP settings without a token, unless this shell or --no-otlp prevents it', async () => {
    installClaude();
    for (const each of ['.codex', '.gemini', 'data']) mkdirSync(join(home, each));
    writeFileSync(join(home, 'data', 'connection.json'), CONNECTION);
    const [codex, gemini] = [join(home, '.codex', 'config.toml'), join(home, '.gemini', 'settings.json')];
    writeFileSync(codex, 'model = "gpt-5"');
    const first = await connect();
    const address = JSON.parse(read(gemini)).telemetry.otlpEndpoint;
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:4680\/v1\/otlp\/[0-9a-f]{64}$/);
    expect(read(codex)).toContain(`[otel]\nexporter = { otlp-http = { endpoint = "${address}/v1/logs"`);
    expect(first.lines).toContain(`+++ ${codex}`);
    expect(read(codex) + read(gemini)).not.toContain('bg_local');
    expect((await connect()).lines).toContain('Codex is connected already');
    expect(read()).toContain('"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://127.0.0.1:4680/v1/logs"');
    expect(first.lines).toContain('+\t"otelHeadersHelper": "BAROGRAPH_DATA_DIR=');
    expect(read()).not.toContain('bg_local');
    await connect('--no-otlp');
    expect(read()).not.toContain('OTEL_');
    vi.stubEnv('OTEL_METRICS_EXPORTER', 'otlp');
    const kept = (await connect()).lines;
    for (const each of ['Claude Code', 'Codex', 'Gemini CLI'])
      expect(kept).toContain(`${each} keeps your own OTLP settings.`);
    expect(read()).not.toContain('OTEL_');
    vi.stubEnv('OTEL_METRICS_EXPORTER', undefined);
    await connect('--config-dir', join(home, 'own'));
    await disconnect();
    expect([read(), read(codex)]).toEqual([ORIGINAL, 'model = "gpt-5"']);
    expect([readdirSync(join(home, '.gemini')), readdirSync(join(home, 'own', 'connect'))]).toEqual([[], []]);
  });

  it('adds no OTLP settings to Codex for a server on another machine', async () => {
    mkdirSync(join(home, '.codex'));
    const { lines } = await connect('--url', 'http://127.0.0.1:4681', '--token', 'bg_secret');
    expect(lines).toContain('Codex gets no OTLP settings, because the server is on another machine.');
    expect(readdirSync(join(home, '.codex'))).toEqual(['hooks.json']);
  });

  it('stores --token in a private file until the last agent is disconnected, and never shows it', async () => {
    installClaude();
    mkdirSync(join(home, '.codex'));
    vi.stubEnv('BAROGRAPH_TOKEN', 'bg_shell');
    const { lines, problems } = await connect('--token', 'bg_secret');
    const folder = join(home, '.config', 'barograph', 'connect');
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.token'));
    const file = join(folder, name);
    expect([read(file), statSync(file).mode & 0o777]).toEqual(['bg_secret', 0o600]);
    expect(read()).toContain(`BAROGRAPH_TOKEN_FILE=${file} `);
    expect(lines + problems + read()).not.toMatch(/bg_secret|bg_shell/);
    expect(lines).toContain(`+++ ${file}`);
    expect((await connect('--token', 'bg_secret')).lines).toContain('is connected already');
    await disconnect('codex');
    expect(existsSync(file)).toBe(true);
    expect((await disconnect()).lines).not.toContain('bg_secret');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says that Codex must trust the hooks, even if the service does not start', async () => {
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, 'bin', 'systemctl'), '#!/bin/sh\n[ "$2" = show-environment ]\n', {
      mode: 0o755,
    });
    const { code, lines, problems } = await connect();
    expect({ code, problems }).toEqual({ code: 1, problems: expect.stringContaining('did not start') });
    expect(lines).toContain('enter /hooks in Codex');
  });
});

describe('the background watch of barograph connect', () => {
  /** A program that records its calls. */
  function install(program: string): () => string[] {
    const calls = join(home, `${program}.log`);
    writeFileSync(join(home, 'bin', program), `#!/bin/sh\necho "$*" >> '${calls}'\n`, { mode: 0o755 });
    return () => read(calls).trimEnd().split('\n');
  }

  it('is a systemd unit with the paths of this machine, until the last agent is disconnected', async () => {
    installClaude();
    mkdirSync(join(home, '.codex'));
    const calls = install('systemctl');
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'));
    await connect('--project', 'a "b" 50% $c\\d');
    const unit = join(home, '.config', 'systemd', 'user', 'barograph-watch.service');
    expect(read(unit)).toContain(`Environment="BAROGRAPH_DATA_DIR=${home}/data"`);
    expect(read(unit)).toContain(`Environment="CLAUDE_CONFIG_DIR=${home}/.claude"`);
    expect(read(unit)).toContain('Environment="BAROGRAPH_PROJECT=a \\"b\\" 50%% $c\\\\d"');
    const ours = ['daemon-reload', 'enable barograph-watch.service', 'restart barograph-watch.service'];
    expect(calls().slice(1)).toEqual(ours.map((each) => `--user ${each}`));
    if (existsSync('/usr/bin/systemd-analyze')) {
      const { status, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', '--user', unit], {
        encoding: 'utf8',
        env: { HOME: home, PATH: '/usr/bin:/bin', XDG_RUNTIME_DIR: home, NODE_ENV: 'test' },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    }
    await disconnect('codex');
    expect(existsSync(unit)).toBe(true);
    await disconnect('claude-code');
    expect(existsSync(unit)).toBe(false);
    expect(calls().at(-1)).toBe('--user disable --now barograph-watch.service');
  });

  it('keeps running for OpenCode, until OpenCode is disconnected too', async () => {
    installClaude();
    mkdirSync(join(home, '.local', 'share', 'opencode'), { recursive: true });
    install('systemctl');
    await connect();
    const unit = join(home, '.config', 'systemd', 'user', 'barograph-watch.service');
    expect((await disconnect('opencode')).lines).toBe('`barograph watch` keeps running for Claude Code.');
    expect((await disconnect('claude-code')).lines).toContain('keeps running for OpenCode.');
    expect([read(), existsSync(unit)]).toEqual([ORIGINAL, true]);
    await disconnect('opencode');
    expect(existsSync(unit)).toBe(false);
  });

  it('is an agent of launchd on macOS', async () => {
    installClaude();
    const calls = install('launchctl');
    await connect('--project', 'a <b> & c');
    const plist = join(home, 'Library', 'LaunchAgents', 'dev.barograph.watch.plist');
    expect(calls().slice(1)).toEqual([`unload ${plist}`, `load -w ${plist}`, 'list dev.barograph.watch']);
    expect(read(plist)).toContain('<key>BAROGRAPH_PROJECT</key><string>a &lt;b&gt; &amp; c</string>');
    const lint = 'import plistlib, sys; print(plistlib.load(open(sys.argv[1], "rb"))["ProgramArguments"][2])';
    vi.stubEnv('PATH', PATH);
    const { stdout, error } = spawnSync('python3', ['-c', lint, plist], { encoding: 'utf8' });
    if (error === undefined) expect(stdout).toBe('watch\n');
  });

  it('is a command that the user keeps running on other systems', async () => {
    installClaude();
    const { lines } = await connect();
    expect(lines).toMatch(
      /^Leave this command running: BAROGRAPH_DATA_DIR=\S+ BAROGRAPH_CONFIG_DIR=\S+ \S+ \S+ watch$/m,
    );
    expect((await connect('--no-watch')).lines).not.toContain('Leave this command');
    mkdirSync(join(home, '.local', 'share', 'opencode'), { recursive: true });
    expect((await connect('opencode')).lines).toMatch(/Leave this command.*\nConnected: OpenCode\./);
  });
});
