import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { VerifySignature, VerifySignatureSuccess } from '@ssb/bus';
import { SETTINGS } from '@ssb/platform';
import { IsOptionalField } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { IdentityService } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { checkSignature } from './check-signature.js';

/** Some clients send null for an omitted field, which document 002 does not allow. */
const NullAsUndefined = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => value ?? undefined);

/** Document 002, "VerifySignature". */
class VerifySignatureDto implements VerifySignature {
  @IsOptionalField()
  @IsString()
  @NullAsUndefined()
  readonly signature?: string;

  @IsOptionalField()
  @IsString()
  @NullAsUndefined()
  readonly did?: string;

  @IsOptionalField()
  @IsString()
  @NullAsUndefined()
  readonly payload?: string;
}

/** Document 002, `/api/v1/verifysignature`. */
@Controller('api/v1/verifysignature')
export class SignatureController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly identities: IdentityService,
  ) {}

  @Post()
  @HttpCode(200)
  verify(@Body() request: VerifySignatureDto): VerifySignatureSuccess {
    return checkSignature(request, this.settings.SIGNATURE_SCHEME, this.identities.current());
  }
}
