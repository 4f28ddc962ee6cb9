const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const told = document.getElementById("told");
const form = document.getElementById("form");
if (!token) told.textContent = "This link is incomplete. Copy the whole link from the terminal.";
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const value = (id) => document.getElementById(id).value;
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = JSON.stringify({ token, name: value("name"), password: value("password"), time_zone });
  const headers = { "content-type": "application/json" };
  try {
    const answer = await fetch("v1/setup", { method: "POST", headers, body });
    const said = await answer.json();
    told.textContent = answer.ok ? `Welcome, ${said.name}. The owner account was created, and you are signed in.` : said.detail;
    form.hidden = answer.ok;
  } catch {
    told.textContent = "The server does not answer. Check that it is still running, then try again.";
  }
});
