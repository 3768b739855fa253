import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ProblemException, SETTINGS } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForEveryone } from '../access/access.guard.js';
import { Authenticator } from '../access/authenticator.js';
import { requireOwnOrigin } from '../access/sessions/own-origin.js';
import { formatCookie, readCookie, SIGN_IN_COOKIE } from '../access/sessions/session-cookie.js';
import { identityOfToken } from '../access/sessions/session-identity.js';
import { IsText } from '../http/texts.js';
import type { Settings } from '../settings.js';
import { IssuerSignIn } from './issuer-sign-in.js';
import { LinkSignIn } from './link-sign-in.js';
import { SessionStart, type SignedIn } from './session-start.js';
import { SIGN_IN_SECONDS, SignInCookie } from './sign-in-cookie.js';
import { toSignInError } from './sign-in-error.js';
import { SignInLimits } from './sign-in-limits.js';

class LinkBody {
  @IsText({ maxLength: 200, description: 'What the link has after #sign-in=.' }) readonly token!: string;
}

/** Ways to sign in to the console. */
interface SignInOptions {
  readonly openIdConnect: boolean;
  readonly accessToken: boolean;
  readonly link: boolean;
}

/** Signs people in to the console, and out. For browsers: programs use credentials at each request. */
@ApiExcludeController()
@ForEveryone()
@Controller()
export class SignInController {
  constructor(
    private readonly issuer: IssuerSignIn,
    private readonly link: LinkSignIn,
    private readonly cookie: SignInCookie,
    private readonly limits: SignInLimits,
    private readonly start: SessionStart,
    private readonly authenticator: Authenticator,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('sign-in/options')
  options(): SignInOptions {
    return { openIdConnect: this.issuer.isConfigured, accessToken: true, link: this.link.isConfigured };
  }

  @Get('sign-in')
  async redirect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      this.limits.takeAddress(request);
      const pending = await this.cookie.create(await this.start.findSession(request), Date.now());
      const url = await this.issuer.start(pending);
      // The browser sends a Strict cookie in no request that the issuer causes.
      void reply.header('set-cookie', formatCookie(SIGN_IN_COOKIE, pending.value, 'Lax', SIGN_IN_SECONDS));
      await reply.redirect(url, 302);
    } catch (error) {
      await this.fail(reply, error);
    }
  }

  @Get('sign-in/callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const search = searchOf(request.url);
      const state = new URLSearchParams(search).get('state') ?? '';
      const value = readCookie(request.headers.cookie, SIGN_IN_COOKIE);
      // A return that was invented costs no more than this, and leaves a sign-in that has begun.
      const pending = await this.cookie.find(value, state, Date.now());
      this.limits.takeAddress(request);
      this.cookie.use(pending);
      void reply.header('set-cookie', formatCookie(SIGN_IN_COOKIE, '', 'Lax', 0));
      await this.start.begin(request, reply, await this.issuer.finish(search, pending));
      await reply.redirect('/', 302);
    } catch (error) {
      await this.fail(reply, error);
    }
  }

  @Post('sign-in/token')
  @HttpCode(204)
  async signInWithToken(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    requireOwnOrigin(request, this.settings.CONSOLE_URL);
    const entry = this.authenticator.findTokenEntry(request.headers.authorization);
    const signedIn = entry && {
      name: entry.name,
      identity: identityOfToken(entry),
      expiresAt: Date.parse(entry.expiresAt),
    };
    await this.begin(request, reply, 'access-token', signedIn);
  }

  @Post('sign-in/link')
  @HttpCode(204)
  async signInWithLink(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { token }: LinkBody,
  ): Promise<void> {
    requireOwnOrigin(request, this.settings.CONSOLE_URL);
    const grant = await this.link.take(request, token);
    const signedIn = grant && { name: grant.name, identity: { kind: 'link', grant } as const };
    await this.begin(request, reply, 'link', signedIn);
  }

  @Post('sign-out')
  @HttpCode(204)
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    requireOwnOrigin(request, this.settings.CONSOLE_URL);
    await this.start.end(request, reply);
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: 'access-token' | 'link',
    signedIn: SignedIn | undefined,
  ): Promise<void> {
    if (signedIn === undefined) {
      this.start.reportFailure(kind, 'no-access', 'it is unknown, was used, or has ended');
      throw new ProblemException(401, 'Unauthorized', WRONG[kind]);
    }
    try {
      await this.start.begin(request, reply, signedIn);
    } catch (error) {
      this.start.reportFailure(kind, toSignInError(error).reason, toSignInError(error).message);
      throw error;
    }
  }

  /** The page of the console shows a sentence for each reason. */
  private async fail(reply: FastifyReply, error: unknown): Promise<void> {
    const { reason, message } = toSignInError(error);
    this.start.reportFailure('openid-connect', reason, message);
    await reply.redirect(`/sign-in-failed?reason=${reason}`, 302);
  }
}

/** The request line may have a whole address (RFC 9112 §3.2.2). */
function searchOf(address: string): string {
  const start = address.indexOf('?');
  return start === -1 ? '' : address.slice(start);
}

const WRONG = {
  'access-token':
    'The access token is wrong, has expired or was revoked. Use one of "busbridge tokens create", in a header "Authorization: Bearer …".',
  link: 'The link is wrong, was used, or has ended. "busbridge console" prints a new one.',
} as const;
