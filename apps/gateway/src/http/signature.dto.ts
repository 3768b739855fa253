import type { VerifySignature } from '@ssb/bus';
import { IsOptionalField } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';

/** Some clients write null for a field that they leave out; in document 002 no field may be null. */
const FromNull = (): PropertyDecorator => Transform(({ value }: { value: unknown }) => value ?? undefined);

/** Document 002, "VerifySignature". */
export class VerifySignatureDto implements VerifySignature {
  @IsOptionalField()
  @IsString()
  @FromNull()
  readonly signature?: string;

  @IsOptionalField()
  @IsString()
  @FromNull()
  readonly did?: string;

  @IsOptionalField()
  @IsString()
  @FromNull()
  readonly payload?: string;
}
