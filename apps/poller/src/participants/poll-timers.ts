import type { SchedulerRegistry } from '@nestjs/schedule';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { momentIn, spreadOf } from '../detection/schedule/intervals.js';

/** Calls `startPoll` for each interface at fixed intervals. */
export class PollTimers {
  constructor(
    private readonly participant: string,
    private readonly intervals: Readonly<Record<MarketInterface, number>>,
    private readonly registry: SchedulerRegistry,
  ) {}

  /** Each participant polls at its own moment of the interval, to avoid request bursts. */
  start(startPoll: (name: MarketInterface) => void): void {
    for (const name of MARKET_INTERFACES) {
      const timer = this.timerName(name);
      const repeat = (): void => {
        this.registry.deleteTimeout(timer);
        this.registry.addInterval(
          timer,
          setInterval(() => startPoll(name), this.intervals[name]),
        );
        startPoll(name);
      };
      const offsetMs = momentIn(this.intervals[name], spreadOf(`${this.participant}|${name}`));
      this.registry.addTimeout(timer, setTimeout(repeat, offsetMs));
    }
  }

  stop(): void {
    for (const name of MARKET_INTERFACES) {
      const timer = this.timerName(name);
      if (this.registry.doesExist('timeout', timer)) this.registry.deleteTimeout(timer);
      if (this.registry.doesExist('interval', timer)) this.registry.deleteInterval(timer);
    }
  }

  private timerName(name: MarketInterface): string {
    return `${name} ${this.participant}`;
  }
}
