import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { verifySignature, type VerifySignatureSuccess } from '@ssb/bus';
import { signatureCheckFailed } from '../domain/gateway-failure.js';
import { withoutNulls } from '../domain/without-nulls.js';
import { Gateway } from '../gateway.js';

/** Document 002, `/api/v1/verifysignature`. */
@Controller('api/v1/verifysignature')
export class SignatureController {
  constructor(@Inject(Gateway) private readonly gateway: Gateway) {}

  @Post()
  @HttpCode(200)
  verify(@Body() body: unknown): VerifySignatureSuccess {
    const request = verifySignature.safeParse(withoutNulls(body));
    if (!request.success) throw signatureCheckFailed('signature, did and payload are texts.');
    return this.gateway.verify(request.data);
  }
}
