import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commonSettings } from '@ssb/platform';
import { parse } from 'yaml';
import { APP_BY_PROCESS, PROCESSES, REPOSITORY_ROOT } from '../../../system/processes.js';
import { isJob, readComposeFile, readRepositoryFile } from './compose-file.js';

const { services, volumes, networks } = readComposeFile();
const all = Object.entries(services);
const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string };

describe.each(all)('the container of %s', (_name, service) => {
  it('can change nothing but its volumes, and has limits', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: {
        driver: 'json-file',
        options: { 'max-size': expect.any(String), 'max-file': expect.any(String) },
      },
      pids_limit: expect.any(Number),
      mem_limit: expect.any(String),
      user: expect.stringMatching(/^\d+:\d+$/),
    });
    expect(service.tmpfs.every((each) => each.includes(':size='))).toBe(true);
  });

  it('restarts and reports its health, or is a job', () => {
    if (isJob(service)) expect(service.healthcheck).toEqual({ disable: true });
    else {
      expect(service.restart).toBe('unless-stopped');
      expect(service.healthcheck).toHaveProperty('test');
      expect(Number.parseInt(service.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(
        Number(commonSettings.SHUTDOWN_TIMEOUT_MS.default),
      );
    }
  });

  it('has an image of this version, or one of a fixed version', () => {
    const { image, build } = service;
    if (build === undefined) return expect(image).toMatch(/^[\w/-]+:v?\d+\.\d+(\.\d+)?(-[\w.]+)?$/);
    const app = build.args.APP;
    expect([app, existsSync(join(REPOSITORY_ROOT, 'apps', app))]).toEqual([app, true]);
    expect(image).toBe(`localhost/settlement-bus-bridge/${app}:${version}`);
  });
});

describe('services', () => {
  it('run every app', () => {
    const apps = new Set(all.flatMap(([, { build }]) => (build ? [build.args.APP] : [])));
    // The api serves the console.
    const existing = readdirSync(join(REPOSITORY_ROOT, 'apps')).filter((app) => app !== 'console');
    expect([...apps].sort()).toEqual(existing.sort());
    for (const name of PROCESSES) {
      expect([name, services[name]?.build?.args.APP]).toEqual([name, APP_BY_PROCESS[name]]);
      expect([name, services[name]?.healthcheck]).toMatchObject([
        name,
        { test: ['CMD', 'node', 'healthcheck.js'] },
      ]);
    }
  });

  it('wait for the jobs to complete, and for servers to be healthy', () => {
    for (const [name, { depends_on: dependencies }] of all)
      for (const [other, { condition }] of Object.entries(dependencies)) {
        const dependency = services[other];
        if (dependency === undefined)
          throw new RangeError(`${name} depends on ${other}, which does not exist`);
        expect([name, other, condition]).toEqual([
          name,
          other,
          isJob(dependency) ? 'service_completed_successfully' : 'service_healthy',
        ]);
      }
  });

  // `docker compose up --wait` takes the end of other jobs for a failure.
  it('wait for every job that runs at each start', () => {
    const awaited = new Set(all.flatMap(([, each]) => Object.keys(each.depends_on)));
    const jobs = all.filter(([, each]) => isJob(each) && each.profiles.length === 0).map(([name]) => name);
    expect(jobs.filter((name) => !awaited.has(name))).toEqual([]);
  });

  it('use every volume and network, and keep their state in volumes', () => {
    const mounted = all.flatMap(([, each]) => each.volumes.map((volume) => volume.split(':')));
    const sources = new Set(
      mounted.map(([source = '']) => source).filter((source) => !source.startsWith('./')),
    );
    expect([...sources].sort()).toEqual(Object.keys(volumes).sort());
    expect([...new Set(all.flatMap(([, each]) => each.networks))].sort()).toEqual(
      Object.keys(networks).sort(),
    );
    for (const name of ['redis', 'postgresql', 'nats', 'simulator', 'prometheus', 'alertmanager', 'grafana'])
      expect([name, services[name]?.volumes.some((volume) => volume.startsWith(`${name}:`))]).toEqual([
        name,
        true,
      ]);
  });

  it('mount files of the repository read-only', () => {
    const files = all.flatMap(([, each]) => each.volumes).filter((volume) => volume.startsWith('./'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(file).toMatch(/:ro$/);
    const ofChart = './helm/settlement-bus-bridge/files/';
    const others = files.map((file) => file.split(':')[0] ?? '').filter((path) => !path.startsWith(ofChart));
    for (const path of others) expect([path, existsSync(join(REPOSITORY_ROOT, path))]).toEqual([path, true]);
  });
});

describe('the files of config/compose', () => {
  it('bridge.yaml is config/bridge.yaml with other alerts', () => {
    const shipped = parse(readRepositoryFile('config/bridge.yaml')) as object;
    const compose = parse(readRepositoryFile('config/compose/bridge.yaml')) as object;
    expect({ ...compose, alerts: undefined }).toEqual({ ...shipped, alerts: undefined });
  });

  it('setup.sql has the statements of the migration commands', () => {
    const file = readRepositoryFile('helm/settlement-bus-bridge/files/setup.sql');
    const commands = [
      ['apps/cli/dist/src/main.js', 'migrate'],
      ['apps/token/dist/src/migrate.js'],
      ['apps/reporting/dist/src/migrate.js'],
    ];
    for (const command of commands)
      expect(file).toContain(
        execFileSync(process.execPath, [...command, '--setup-sql', 'bridge'], {
          cwd: REPOSITORY_ROOT,
          encoding: 'utf8',
        }),
      );
  });
});
