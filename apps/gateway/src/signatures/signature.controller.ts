import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { VerifySignature, VerifySignatureSuccess } from '@ssb/bus';
import { IsOptionalField } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { Gateway } from '../messages/message-sender.js';

/** Some clients write null for a field that they leave out; in document 002 no field may be null. */
const FromNull = (): PropertyDecorator => Transform(({ value }: { value: unknown }) => value ?? undefined);

/** Document 002, "VerifySignature". */
class VerifySignatureDto implements VerifySignature {
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

/** Document 002, `/api/v1/verifysignature`. */
@Controller('api/v1/verifysignature')
export class SignatureController {
  constructor(private readonly gateway: Gateway) {}

  @Post()
  @HttpCode(200)
  verify(@Body() request: VerifySignatureDto): VerifySignatureSuccess {
    return this.gateway.verify(request);
  }
}
