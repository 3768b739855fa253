import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile, type ConfigSource, type OperatorConfig } from '@ssb/config';

/** The operator's configuration that the subscriber has applied. CONFIG_FILE may have changed already. */
@Injectable()
export class ConfigInUse implements ConfigSource {
  private config: OperatorConfig;

  constructor(@Inject(OperatorConfigFile) file: ConfigSource) {
    this.config = file.current();
  }

  current(): OperatorConfig {
    return this.config;
  }

  replace(config: OperatorConfig): void {
    this.config = config;
  }
}
