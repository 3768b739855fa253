import type { Redis } from 'ioredis';

/** The broker's two connections to Redis: a subscribed one takes no other commands. */
export class Connections {
  constructor(
    readonly commands: Redis,
    readonly wakeUps: Redis,
  ) {}

  close(): void {
    this.commands.disconnect();
    this.wakeUps.disconnect();
  }
}
