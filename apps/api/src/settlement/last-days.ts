import { findDisagreeUntil } from '@ssb/config';
import { Injectable } from '@nestjs/common';
import { ParticipantSettings } from '../configuration/participant-settings.js';

type DisputableStatement = Parameters<typeof findDisagreeUntil>[0];

interface Run {
  readonly participant: string;
  readonly market: string;
  readonly designation: string;
}

/** The columns of `VERSION_DAYS`. */
export interface VersionDays {
  /** Market date of its publication; null without a statement. */
  readonly publishedOn: string | null;
  /** That of its event, by the settings when it was detected. */
  readonly announcedUntil: string | null;
}

/** From the `data` of the event of a version. */
export const VERSION_DAYS = `left(data->>'publishedAt', 10) AS "publishedOn", data->>'disagreeUntil' AS "announcedUntil"`;

/** The last days to dispute statements. */
@Injectable()
export class LastDays {
  constructor(private readonly settings: ParticipantSettings) {}

  /** By the settings of now, as reminders are. That of the event for a participant that CONFIG_FILE does not name. */
  find(
    { participant, market, designation }: Run,
    { publishedOn, announcedUntil }: VersionDays,
  ): string | null {
    const settings = publishedOn === null ? undefined : this.settings.find(participant);
    if (settings === undefined) return announcedUntil;
    const statement = { marketService: market, designation, publishedOn } as DisputableStatement;
    return findDisagreeUntil(statement, settings) ?? null;
  }
}
