import { Module } from '@nestjs/common';
import { IssuerClient } from './issuer-client.js';
import { IssuerSignIn } from './issuer-sign-in.js';
import { LinkSignIn } from './link-sign-in.js';
import { SessionStart } from './session-start.js';
import { SignInCookie } from './sign-in-cookie.js';
import { SignInLimits } from './sign-in-limits.js';
import { SignInController } from './sign-in.controller.js';

/** Sign-in and sign-out of people in the console. */
@Module({
  controllers: [SignInController],
  providers: [IssuerClient, IssuerSignIn, LinkSignIn, SessionStart, SignInCookie, SignInLimits],
})
export class SignInModule {}
