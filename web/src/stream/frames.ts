/** What goes over the WebSocket, both ways. Events are the server's own type. */
import type { Envelope, InputMode, Me, SessionStatus } from '../api/schema';

export type ClientFrame =
  | { type: 'subscribe'; session_id: string; after?: string }
  | { type: 'unsubscribe'; session_id: string }
  | SendFrame
  | { type: 'abort'; session_id: string }
  | { type: 'question_response'; question_id: string; answer: string }
  | {
      type: 'approval_response';
      approval_id: string;
      decision: 'approve' | 'deny';
      scope: 'once' | 'session' | 'always';
      digest: string;
      reason?: string;
    }
  | { type: 'ping' };

/** What words answer: something that was shown when they were written. */
export type Answers = { question_id: string } | { approval_id: string };

export interface SendFrame {
  type: 'send';
  session_id: string;
  content: string;
  mode: InputMode;
  answers?: Answers;
  attachments?: { upload_id: string }[];
  /** The words were typed here; otherwise a long text counts as pasted. */
  typed?: boolean;
  /** The model that answers this message alone. */
  model?: string;
  idempotency_key: string;
}

export interface Hello {
  type: 'hello';
  user: Me;
  sessions: { session_id: string; last_seq: number; status: SessionStatus }[];
}

export interface Ack {
  type: 'ack';
  of: string;
  session_id?: string;
  idempotency_key?: string;
  turn_id?: string;
  cursor?: string;
}

export interface ProblemFrame {
  type: 'problem';
  of: string | null;
  session_id?: string;
  idempotency_key?: string;
  status: number;
  code: string;
  detail: string;
}

export interface Notice {
  type: 'notice';
  session_id: string;
  last_seq: number;
  status: SessionStatus;
  event_type: string;
}

/** The folders, their files or the prompts of the person are not as they were. */
export interface ListsChanged {
  type: 'lists_changed';
}

export type ServerFrame = Hello | Ack | ProblemFrame | Notice | ListsChanged | { type: 'pong' } | Envelope;

export function isEnvelope(frame: ServerFrame): frame is Envelope {
  return 'cursor' in frame && 'seq' in frame;
}
