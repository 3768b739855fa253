import {
  findDetectionSettings,
  MissingDetectionSettingError,
  OperatorConfigFile,
  type DetectionSettings,
} from '@ssb/config';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

/** What CONFIG_FILE sets for participants. */
@Injectable()
export class ParticipantSettings implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly file: OperatorConfigFile) {}

  onApplicationBootstrap(): void {
    this.file.watch();
  }

  onApplicationShutdown(): Promise<void> {
    return this.file.close();
  }

  /** The codes of all participants. */
  codes(): readonly string[] {
    return this.file.current().participants.map(({ code }) => code);
  }

  /** Undefined when the file does not name the participant, or one of its settings depends on an environment variable. */
  find(participant: string): DetectionSettings | undefined {
    try {
      return findDetectionSettings(this.file.current(), participant);
    } catch (error) {
      if (error instanceof MissingDetectionSettingError) return undefined;
      throw error;
    }
  }
}
