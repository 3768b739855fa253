import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ResourceStack } from '@ssb/tools';

/** What the process with the subscriber's code gets. */
export interface EventsToArchive {
  /** Of the database, for the role of the subscriber. */
  readonly url: string;
  readonly example: Readonly<Record<string, unknown>>;
  readonly perSecond: number;
}

/** What that process sends when it has stopped. */
export interface ArrivedEvents {
  readonly count: number;
  readonly seconds: number;
}

/** Events that arrive at a steady rate. A process of its own archives them, as the subscriber is one, so that they do not delay requests. */
export class ArrivingEvents {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown[]>;

  private constructor() {
    this.child = fork(fileURLToPath(new URL('./archive-events.js', import.meta.url)), { stdio: 'inherit' });
    this.exited = once(this.child, 'exit');
  }

  static async start(events: EventsToArchive, resources: ResourceStack): Promise<ArrivingEvents> {
    const arriving = new ArrivingEvents();
    await resources.defer(() => arriving.end());
    arriving.child.send(events);
    await arriving.nextMessage();
    return arriving;
  }

  /** @returns events per second until now */
  async stop(): Promise<number> {
    const stopped = this.nextMessage();
    this.child.send('stop');
    const { count, seconds } = (await stopped) as ArrivedEvents;
    return count / seconds;
  }

  private async nextMessage(): Promise<unknown> {
    const failed = this.exited.then(([status]) => {
      throw new Error(`the process that archives events ended with ${String(status)}`);
    });
    const [message] = (await Promise.race([once(this.child, 'message'), failed])) as unknown[];
    return message;
  }

  /** After a failure the process may still run. */
  private async end(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await this.exited;
  }
}
