import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, WatchedFiles, type Logger } from '@ssb/platform';
import { parseParticipantMap } from '../domain/participant-map.js';
import type { Settings } from '../settings.js';
import { Callers } from '../tokens/callers.js';

/** Keeps the map of certificates to participants as its file says; a changed file that is wrong is refused, the old map stays. */
@Injectable()
export class MapReload implements OnModuleInit, OnApplicationShutdown {
  private readonly file: WatchedFiles | undefined;

  constructor(
    @Inject(Callers) callers: Callers,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) log: Logger,
  ) {
    const path = settings.PARTICIPANT_MAP_FILE;
    if (path === undefined) return;
    this.file = new WatchedFiles({
      paths: [path],
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      take: ([content]) => callers.useMap(parseParticipantMap(String(content))),
      changed: () => log.info('the changed map of certificates to participants is in use'),
      refused: (error) =>
        log.error(
          { err: error },
          'the changed PARTICIPANT_MAP_FILE cannot be used, the old map stays in use',
        ),
    });
  }

  async onModuleInit(): Promise<void> {
    await this.file?.start();
  }

  onApplicationShutdown(): void {
    this.file?.stop();
  }
}
