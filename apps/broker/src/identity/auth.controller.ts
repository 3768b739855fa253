import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { LoginSuccess } from '@ssb/bus';
import { IsNotEmpty, IsString } from 'class-validator';
import { AttemptRateLimitGuard } from './attempt-rate-limiter.js';
import { LoginService } from './login.service.js';

export class LoginDto {
  /** A compact JWS (ES256K) of `{iss: did, aud, iat, exp, jti}`. */
  @IsNotEmpty()
  @IsString()
  readonly identityToken!: string;
}

@Controller('auth')
export class AuthController {
  constructor(private readonly logins: LoginService) {}

  @Post('login')
  @HttpCode(200)
  @UseGuards(AttemptRateLimitGuard)
  login(@Body() { identityToken }: LoginDto): Promise<LoginSuccess> {
    return this.logins.login(identityToken);
  }
}
