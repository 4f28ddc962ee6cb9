// A server as a person might write it: asks the model, reads its words through htmlparser2, sends them on as events.
import express from "express";
import { Parser } from "htmlparser2";

const model = process.argv[2];
const id = "0199f2a0-0000-7000-8000-000000000000";
const app = express();

app.post("/", express.json(), async (request, response) => {
  response.set("content-type", "text/event-stream");
  response.flushHeaders();
  const answer = await fetch(`${model}/chat/completions`, { method: "POST", body: JSON.stringify(request.body) });
  let offset = 0;
  const parser = new Parser({
    ontext(text) {
      offset += text.length;
      const cursor = `7.${offset}`;
      const envelope = {
        seq: 7, cursor, at: new Date().toISOString(), session_id: id, turn_id: id, type: "text", data: { message_id: id, text },
      };
      response.write(`event: text\nid: ${cursor}\ndata: ${JSON.stringify(envelope)}\n\n`);
    },
  });
  const decoder = new TextDecoder();
  let buffer = "";
  for await (const bytes of answer.body) {
    buffer += decoder.decode(bytes, { stream: true });
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const frame = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      if (!frame.startsWith("data: {")) continue;
      const words = JSON.parse(frame.slice(6)).choices[0]?.delta?.content;
      if (words) parser.write(words);
    }
  }
  parser.end();
  response.end();
});

const server = app.listen(0, "127.0.0.1", () => console.log(`listening on 127.0.0.1:${server.address().port}`));
