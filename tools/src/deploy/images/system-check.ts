import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { runDemo } from '../../demo/run-demo.js';
import { endProcess, type LaunchedProcess } from '../../lifecycle/launched-process.js';
import { ResourceStack } from '../../lifecycle/resource-stack.js';
import { contractFailure } from './check-image.js';
import { type Mount, type MountedImage, mountSettings, runInContainer, startContainer } from './container.js';

/** Default of SHUTDOWN_TIMEOUT_MS. */
const DRAIN_TIMEOUT_MS = 15_000;
const DEMO_TIMEOUT_SECONDS = 180;

interface StartedContainer extends LaunchedProcess {
  readonly app: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** Epoch milliseconds of the first signal. */
  stoppedAt?: number;
  endedAt?: number;
}

/** The whole system on loopback, each app from its image. */
export class SystemCheck {
  private readonly containers: StartedContainer[] = [];

  constructor(
    private readonly images: ReadonlyMap<string, MountedImage>,
    private readonly workFolder: string,
  ) {}

  /**
   * Runs the demo market from its simulator to the webhooks, then checks health and signals.
   * @returns the number of events
   * @throws CheckFailure
   */
  async run(): Promise<number> {
    const resources = new ResourceStack();
    const ignore = (): void => undefined;
    try {
      const { ok, missing, events } = await runDemo(
        {
          scenario: 'demo',
          timeoutSeconds: DEMO_TIMEOUT_SECONDS,
          searchPath: process.env['PATH'] ?? '',
          print: ignore,
          printer: { writeLine: ignore, writeAlert: ignore },
          launch: (app, environment) => this.launch(app, environment),
        },
        resources,
      );
      if (!ok) throw new Error(`Events did not pass through the images: ${JSON.stringify(missing)}.`);
      for (const { app, environment, mounts } of this.containers) {
        const check = () =>
          runInContainer(this.getImage(app), { args: ['node', 'healthcheck.js'], environment, mounts });
        // A container engine repeats a failed check too.
        await check().catch(check);
      }
      await this.checkSignalBeforeListening();
      await resources.release();
      for (const { app, child, stoppedAt = NaN, endedAt = NaN } of this.containers)
        if (child.exitCode !== 0 || !(endedAt - stoppedAt <= DRAIN_TIMEOUT_MS))
          throw contractFailure(
            app,
            `ended with ${child.exitCode ?? child.signalCode}, ${endedAt - stoppedAt} ms after SIGTERM`,
          );
      return events.length;
    } finally {
      await resources.release();
    }
  }

  private launch(app: string, settings: Readonly<Record<string, string>>): LaunchedProcess {
    // The addresses of the images listen on every interface.
    const environment = { ...settings, HOST: '127.0.0.1', MANAGEMENT_HOST: '127.0.0.1' };
    const mounts = mountSettings(environment, this.workFolder);
    const { child, kill } = startContainer(this.getImage(app), {
      environment,
      mounts,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const container: StartedContainer = {
      app,
      environment,
      mounts,
      child,
      kill: (signal) => {
        container.stoppedAt ??= Date.now();
        kill(signal);
      },
    };
    child.once('exit', () => {
      container.endedAt = Date.now();
    });
    this.containers.push(container);
    return container;
  }

  /** A Redis that never responds keeps the poller in its start. Process 1 gets no signal for which it has no listener. */
  private async checkSignalBeforeListening(): Promise<void> {
    const poller = this.containers.find(({ app }) => app === 'poller')!;
    const silentServer = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const { port } = silentServer.address() as AddressInfo;
    const environment = { ...poller.environment, REDIS_URL: `redis://127.0.0.1:${port}`, PORT: '0' };
    const launched = startContainer(this.getImage('poller'), { environment, mounts: poller.mounts });
    await Promise.race([once(silentServer, 'connection'), once(launched.child, 'exit')]);
    await endProcess(launched, 'SIGTERM', DRAIN_TIMEOUT_MS);
    silentServer.close();
    const { exitCode } = launched.child;
    if (exitCode !== 0 && exitCode !== 143)
      throw contractFailure('poller', `ends with ${exitCode} when SIGTERM comes before it listens`);
  }

  private getImage(app: string): MountedImage {
    const image = this.images.get(app);
    if (image === undefined) throw new Error(`There is no image of ${app}.`);
    return image;
  }
}
