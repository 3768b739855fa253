import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { dirname } from 'node:path';
import { SecretsFolder } from '@ssb/keys/deployment';
import { ResourceStack } from '../../lifecycle/resource-stack.js';
import { runDemo } from '../../demo/run-demo.js';
import type { LaunchedProcess } from '../../lifecycle/launched-process.js';
import { contractFailure } from './check-commands.js';
import { type MountedImage, runInContainer, startContainer } from './container.js';
import { mountSettings, type Mount } from './settings-mounts.js';

/** Default of SHUTDOWN_TIMEOUT_MS. */
const DRAIN_TIMEOUT_MS = 15_000;
const DEMO_TIMEOUT_SECONDS = 180;

interface StartedContainer {
  readonly app: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly exit: Promise<number | string>;
  /** Epoch milliseconds of SIGTERM. */
  stoppedAt?: number;
  endedAt?: number;
}

/** The whole system on loopback, each app from its image. */
export class SystemCheck {
  private readonly containers: StartedContainer[] = [];

  constructor(
    private readonly images: ReadonlyMap<string, MountedImage>,
    private readonly workFolder: string,
    private readonly print: (line: string) => void,
  ) {}

  /** Runs the demo market from its simulator to the webhooks, then checks health, commands and signals. */
  async run(): Promise<void> {
    const resources = new ResourceStack();
    try {
      const result = await runDemo(
        {
          scenario: 'demo',
          timeoutSeconds: DEMO_TIMEOUT_SECONDS,
          searchPath: process.env['PATH'] ?? '',
          print: () => undefined,
          printer: { writeLine: () => undefined, writeAlert: () => undefined },
          launch: (app, environment) => this.launch(app, environment),
        },
        resources,
      );
      const missing = result.missing.map(({ type, subject, lastSeen }) => `${type} ${subject} (${lastSeen})`);
      if (!result.ok) throw new Error(`Events did not pass through the images: ${missing.join(', ')}.`);
      this.print(
        `${result.events.length} events went from the simulator to the webhook, each app from its image`,
      );
      for (const container of this.containers) await this.checkHealth(container);
      await this.checkMigrations();
      await this.checkSignalBeforeListening();
    } finally {
      await resources.release();
    }
    for (const container of this.containers) await this.checkExit(container);
  }

  private launch(app: string, settings: Readonly<Record<string, string>>): LaunchedProcess {
    // The addresses of the images listen on every interface.
    const environment = { ...settings, HOST: '127.0.0.1', MANAGEMENT_HOST: '127.0.0.1' };
    const mounts = mountSettings(environment, this.workFolder);
    const launched = startContainer(this.getImage(app), {
      environment,
      mounts,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const exit = once(launched.child, 'exit').then(([code, signal]: (number | string | null)[]) => {
      container.endedAt = Date.now();
      return code ?? signal ?? 'an unknown status';
    });
    const container: StartedContainer = { app, environment, mounts, exit };
    this.containers.push(container);
    const kill = (signal: NodeJS.Signals): void => {
      container.stoppedAt ??= Date.now();
      launched.kill(signal);
    };
    return { child: launched.child, kill };
  }

  private async checkHealth({ app, environment, mounts }: StartedContainer): Promise<void> {
    await runInContainer(this.getImage(app), { args: ['node', 'healthcheck.js'], environment, mounts });
  }

  /** The migrations of the repository are applied, so those of an image must be the same. */
  private async checkMigrations(): Promise<void> {
    const token = this.containers.find(({ app }) => app === 'token');
    const secrets = new SecretsFolder(dirname(token?.environment['KEY_SECRET_FILE'] ?? ''));
    for (const { app, environment, mounts } of this.containers) {
      if (environment['DATABASE_URL'] === undefined) continue;
      const url = new URL(environment['DATABASE_URL']);
      url.username = `${app}_migration`;
      url.password = secrets.value(`database-${app}-migration.password`);
      const output = await runInContainer(this.getImage(app), {
        args: ['node', 'migrate.js'],
        environment: { ...environment, DATABASE_URL: url.href },
        mounts,
      });
      if (output.trim() !== 'up to date')
        throw contractFailure(app, `has other migrations than the repository: ${output}`);
    }
  }

  /** A Redis that never answers keeps the poller in its start. Process 1 gets no signal for which it has no listener. */
  private async checkSignalBeforeListening(): Promise<void> {
    const poller = this.containers.find(({ app }) => app === 'poller');
    if (poller === undefined) throw new Error('The system has no poller.');
    const silentServer = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const { port } = silentServer.address() as AddressInfo;
    const environment = { ...poller.environment, REDIS_URL: `redis://127.0.0.1:${port}`, PORT: '0' };
    const { child, kill } = startContainer(this.getImage('poller'), { environment, mounts: poller.mounts });
    const exited = once(child, 'exit');
    await Promise.race([once(silentServer, 'connection'), exited]);
    kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), DRAIN_TIMEOUT_MS);
    const [code] = (await exited) as [number | null];
    clearTimeout(timer);
    silentServer.close();
    if (code !== 0 && code !== 143)
      throw contractFailure('poller', `ends with ${code} when SIGTERM comes before it listens`);
  }

  private async checkExit(container: StartedContainer): Promise<void> {
    const status = await container.exit;
    const { app, stoppedAt, endedAt } = container;
    if (stoppedAt === undefined || endedAt === undefined)
      throw contractFailure(app, `ended with ${status} before it got SIGTERM`);
    const duration = endedAt - stoppedAt;
    if (status !== 0 || duration > DRAIN_TIMEOUT_MS)
      throw contractFailure(app, `ended with ${status} after ${duration} ms when it got SIGTERM`);
    this.print(
      `${app}: healthy as user 1000 on a read-only root; exit status 0 ${duration} ms after SIGTERM`,
    );
  }

  private getImage(app: string): MountedImage {
    const image = this.images.get(app);
    if (image === undefined) throw new Error(`There is no image of ${app}.`);
    return image;
  }
}
