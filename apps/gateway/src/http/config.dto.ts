import type { IdentityConfig } from '@ssb/bus';
import { IsString } from 'class-validator';

/** Document 002, "IdentityConfig". */
export class IdentityConfigDto implements IdentityConfig {
  @IsString()
  readonly privateKey!: string;
}
