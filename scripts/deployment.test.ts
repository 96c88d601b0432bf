/** The files for Docker, Compose, Kubernetes and systemd, as far as they can be checked without running them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../core/settings/setting-list';
import { createHealthEndpoints } from '../server/http/own-endpoints';
import { projectFolder } from './lib/project-folder';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const PROGRAM = '/opt/barograph/node_modules/barograph-server/app/dist/server/main.mjs';
const UNIT = 'deploy/systemd/barograph.service';
const files = ['Dockerfile', 'compose.yaml', UNIT, 'deploy/kubernetes/barograph.yaml'];
const paths = Object.keys(createHealthEndpoints({} as Parameters<typeof createHealthEndpoints>[0]));

function parse(path: string) {
  const documents = parseAllDocuments(read(path));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  return documents.map((document) => document.toJS());
}

describe('deployment', () => {
  it('only uses settings and health paths that the server has', () => {
    const names = new Set(SETTINGS.map(({ name }) => name));
    for (const path of files) {
      const text = read(path);
      for (const [name] of text.matchAll(/\b(?:BAROGRAPH_[A-Z_]+|DATABASE_URL)\b/g))
        expect(names).toContain(name);
      for (const [health] of text.matchAll(/\/[a-z]+z\b/g)) expect(paths).toContain(health);
    }
  });

  it('has a valid Dockerfile that runs without root and reports its health', () => {
    const text = read('Dockerfile');
    expect(validate(text)).toEqual([]);
    const last = text.slice(text.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(last).toContain(`CMD ["node", "--enable-source-maps", "${PROGRAM}"]`);
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    for (const image of images) expect(image).toMatch(/^node:\d+-\w+-slim$/);
  });

  it('starts Compose after its database is healthy, and publishes nothing beyond this machine', () => {
    const [{ services, volumes }] = parse('compose.yaml');
    expect(services.barograph.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(services.postgres.healthcheck.test[0]).toBe('CMD');
    for (const port of services.postgres.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    const port = services.postgres.ports[0].split(':')[1];
    expect(services.barograph.environment.DATABASE_URL).toContain(`@127.0.0.1:${port}/`);
    for (const service of Object.values<{ volumes: string[] }>(services)) {
      for (const volume of service.volumes) expect(volumes).toHaveProperty(volume.split(':')[0] ?? '');
    }
  });

  it('runs one pod without root in Kubernetes, with a probe for each question', () => {
    const [{ kind, spec }] = parse('deploy/kubernetes/barograph.yaml');
    expect(kind).toBe('StatefulSet');
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
    const [container] = spec.template.spec.containers;
    expect(container.livenessProbe.exec.command.at(-1)).toContain('/livez');
    expect(container.readinessProbe.exec.command.at(-1)).toContain('/readyz');
    const volumes = [...spec.template.spec.volumes, ...spec.volumeClaimTemplates.map((each: object) => each)];
    const names = volumes.map(({ name, metadata }) => name ?? metadata.name);
    for (const { name } of container.volumeMounts) expect(names).toContain(name);
    expect(spec.volumeClaimTemplates[0].spec.accessModes).toEqual(['ReadWriteOnce']);
  });

  it('starts the packed program in the unit of systemd', () => {
    expect(read(UNIT)).toContain(PROGRAM);
  });
});
