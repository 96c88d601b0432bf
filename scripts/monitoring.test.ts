/** The rules and the dashboard for Prometheus; monitoring.outside.test.ts checks them by its own tool. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { observeProcess, registry } from '../server/metrics';
import { projectFolder } from './lib/project-folder';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const rules = read('deploy/prometheus/barograph-alerts.yaml');
const dashboard = JSON.parse(read('deploy/grafana/barograph.json')) as {
  panels: { targets: { expr: string }[] }[];
};
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

beforeAll(() => observeProcess('1.2.3', 'all'));

describe('monitoring', () => {
  it('only uses metrics that the server has', async () => {
    const known = new Set((await registry.getMetricsAsJSON()).map(({ name }) => name));
    const used = [rules, ...queries].join('\n').match(/\b(?:barograph|process|nodejs)_[a-z0-9_]+/g);
    for (const name of new Set(used)) expect(known).toContain(name.replace(/_(?:bucket|count|sum)$/, ''));
  });

  it('explains every alert in docs/operations.md', () => {
    const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    const page = read('docs/operations.md');
    for (const name of names) expect(page).toContain(`| \`${name}\` |`);
  });
});
