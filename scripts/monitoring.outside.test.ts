/** The rules and the dashboard for Prometheus, checked by its own tool. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findDebianProgram } from '../db/testing/debian-program';
import { observeProcess, registry } from '../server/metrics';
import { projectFolder } from './lib/project-folder';

const folder = join(projectFolder, 'deploy', 'prometheus');
const dashboard = JSON.parse(readFileSync(join(projectFolder, 'deploy/grafana/barograph.json'), 'utf8')) as {
  panels: { targets: { expr: string }[] }[];
};
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

beforeAll(() => observeProcess('1.2.3', 'all'));

const promtool = findDebianProgram('prometheus', 'usr/bin/promtool');

function check(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(promtool ?? '', args, {
    cwd: folder,
    input,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('monitoring', () => {
  it.skipIf(promtool === null)('passes promtool: rules with their tests, metrics and dashboard', async () => {
    expect(check(['check', 'rules', 'barograph-alerts.yaml'])).toMatchObject({ status: 0 });
    expect(check(['test', 'rules', 'barograph-alerts.test.yaml'])).toMatchObject({ status: 0 });
    const { status: lint, output: remarks } = check(['check', 'metrics'], await registry.metrics());
    // 3: remarks about names. Those of the library are kept, because dashboards of others use them.
    expect([0, 3]).toContain(lint);
    expect(remarks).not.toContain('barograph_');
    const work = mkdtempSync(join(tmpdir(), 'rules-'));
    try {
      const path = join(work, 'dashboard.json');
      const asRules = queries.map((expr, index) => ({
        record: `panel:query:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
      }));
      // JSON is YAML.
      writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }));
      const { status, output } = check(['check', 'rules', path]);
      expect({ status, output }).toMatchObject({ status: 0 });
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
});
