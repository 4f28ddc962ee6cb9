/** In the place of `linkify-it`, which the parser would bring: addresses are found by our own rule. */
export class LinkifyIt {}
