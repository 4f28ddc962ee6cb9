/** In the place of `uc.micro`: the engine of the browser knows which signs are which. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;
