//! The description, as the fuzzer reads it.

use serde_json::Value;

pub struct Document {
    pub whole: Value,
    pub operations: Vec<Operation>,
}

pub struct Operation {
    /// `GET /v1/me`.
    pub name: String,
    pub method: String,
    pub path: String,
    pub value: Value,
}

impl Document {
    pub fn new(whole: Value) -> Self {
        let mut operations = Vec::new();
        for (path, methods) in whole["paths"].as_object().unwrap() {
            for (method, value) in methods.as_object().unwrap() {
                let method = method.to_uppercase();
                let name = format!("{method} {path}");
                operations.push(Operation { name, method, path: path.clone(), value: value.clone() });
            }
        }
        assert!(operations.len() > 60, "the description has its routes");
        Self { whole, operations }
    }

    /// Follows a reference to what it names.
    pub fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        while let Some(reference) = schema["$ref"].as_str() {
            schema = self.whole.pointer(reference.trim_start_matches('#')).unwrap();
        }
        schema
    }

    pub fn is_problem(&self, code: &str, status: u16) -> bool {
        let problems = self.whole["x-problems"].as_array().unwrap();
        problems.iter().any(|problem| problem["code"] == code && problem["status"] == status)
    }

    /// What can be done with something that this operation has made; what ends it comes last.
    pub fn followers(&self, maker: &Operation) -> Vec<usize> {
        let below = format!("{}/{{id}}", maker.path);
        let follows = |operation: &Operation| {
            operation.path.strip_prefix(&below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut found: Vec<usize> =
            (0..self.operations.len()).filter(|place| follows(&self.operations[*place])).collect();
        found.sort_by_key(|place| self.operations[*place].lateness());
        found
    }

    /// What makes the thing that this operation is done with.
    pub fn maker(&self, place: usize) -> Option<usize> {
        let path = &self.operations[place].path;
        let name = match path.as_str() {
            "/v1/join" | "/v1/join/look" => "POST /v1/account-links".to_owned(),
            path if path.starts_with("/v1/providers/{name}") => "PUT /v1/providers/{name}".to_owned(),
            "/v1/shared/{name}" | "/v1/links/{id}" | "/v1/approvals/{id}" | "/v1/questions/{id}/answer" => {
                "POST /v1/sessions".to_owned()
            }
            path => format!("POST {}", path.split("/{").next()?),
        };
        self.operations.iter().position(|operation| operation.name == name).filter(|maker| *maker != place)
    }

    /// Where an operation of this name is.
    pub fn place(&self, name: &str) -> usize {
        let place = self.operations.iter().position(|operation| operation.name == name);
        place.unwrap_or_else(|| panic!("the description has no {name}"))
    }
}

impl Operation {
    /// How late it is done with something: what stops it, puts it away or removes it leaves the others nothing to do.
    pub fn lateness(&self) -> u8 {
        match (self.method.as_str(), self.path.rsplit('/').next().unwrap_or_default()) {
            ("DELETE", _) => 5,
            (_, "unarchive") => 4,
            (_, "archive") => 3,
            (_, "retry") => 2,
            (_, "abort") => 1,
            _ => 0,
        }
    }

    /// What stands in a target where the path has this name.
    pub fn value_in_path(&self, name: &str, target: &str) -> Option<String> {
        let path = target.split('?').next()?;
        let place = self.path.split('/').position(|part| part == format!("{{{name}}}"))?;
        path.split('/').nth(place).map(str::to_owned)
    }

    pub fn parameters(&self, place: &str) -> Vec<&Value> {
        let all = self.value["parameters"].as_array().into_iter().flatten();
        all.filter(|parameter| parameter["in"] == place).collect()
    }

    pub fn body_schema(&self) -> Option<&Value> {
        self.value["requestBody"]["content"]["application/json"].get("schema")
    }

    pub fn takes_form(&self) -> bool {
        self.value["requestBody"]["content"]["multipart/form-data"].is_object()
    }

    /// May one prove who one is in this way?
    pub fn takes(&self, way: &str) -> bool {
        self.value["security"].as_array().into_iter().flatten().any(|known| known.get(way).is_some())
    }

    pub fn takes_header(&self, name: &str) -> bool {
        let same = |parameter: &&Value| {
            parameter["name"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        self.parameters("header").iter().any(same)
    }
}
