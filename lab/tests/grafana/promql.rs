//! As much of PromQL as it takes to say which series an expression reads.
//!
//! It is no parser of the whole language: Prometheus itself is asked for that,
//! where there is one. What it does not know it refuses, so that no expression
//! gets past the tests unread.

/// What an expression reads.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Query {
    /// The series it selects.
    pub(crate) selectors: Vec<Selector>,
    /// The labels that its aggregations keep.
    pub(crate) kept: Vec<String>,
}

/// A selection of series, such as `rate(requests_total{job="lab"}[5m])` holds one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Selector {
    pub(crate) metric: String,
    /// Label, operator and value of each matcher.
    pub(crate) matchers: Vec<(String, String, String)>,
    /// What stands in the square brackets, if they follow.
    pub(crate) range: Option<String>,
    /// The function that is called with it, if it is one's whole argument.
    pub(crate) within: Option<String>,
}

impl Selector {
    pub(crate) fn has(&self, label: &str, operator: &str, value: &str) -> bool {
        let wanted = (label.to_owned(), operator.to_owned(), value.to_owned());
        self.matchers.contains(&wanted)
    }
}

const AGGREGATIONS: [&str; 4] = ["max", "min", "sum", "count"];
const FUNCTIONS: [&str; 5] = [
    "clamp_max",
    "clamp_min",
    "histogram_quantile",
    "increase",
    "rate",
];
const OPERATORS: [&str; 5] = ["and", "bool", "offset", "or", "unless"];

/// The longer ones first, so that none is taken for the start of another.
const SIGNS: [&str; 20] = [
    "=~", "!~", "!=", "==", ">=", "<=", "=", ">", "<", "(", ")", "{", "}", ",", "+", "-", "*", "/",
    "%", "^",
];

/// Reads an expression.
pub(crate) fn read(expression: &str) -> Result<Query, String> {
    let tokens = tokens(expression)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        calls: Vec::new(),
    };
    let query = reader.expression()?;
    if query.selectors.is_empty() {
        return Err(format!("nothing is selected by {expression:?}"));
    }
    Ok(query)
}

#[derive(Debug, PartialEq, Clone)]
enum Token {
    Name(String),
    Text(String),
    /// A number or a duration.
    Number(String),
    /// What stands in square brackets, whole.
    Range(String),
    Sign(String),
}

fn tokens(expression: &str) -> Result<Vec<Token>, String> {
    let mut rest = expression.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let in_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | ':');
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|char| !in_name(char)).unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if first.is_ascii_digit() {
            let in_number = |char: char| char.is_ascii_alphanumeric() || char == '.';
            let length = rest.find(|char| !in_number(char)).unwrap_or(rest.len());
            (Token::Number(rest[..length].to_owned()), length)
        } else if let Some(text) = rest.strip_prefix('"') {
            let end = text
                .find('"')
                .ok_or_else(|| format!("no end of {rest:?}"))?;
            (Token::Text(text[..end].to_owned()), end + 2)
        } else if let Some(range) = rest.strip_prefix('[') {
            let end = range
                .find(']')
                .ok_or_else(|| format!("no end of {rest:?}"))?;
            (Token::Range(range[..end].to_owned()), end + 2)
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or_else(|| format!("{first:?} in {expression:?}"))?;
            (Token::Sign(sign.to_owned()), sign.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The name before each bracket that is open; empty where it only groups.
    calls: Vec<String>,
}

impl Reader<'_> {
    fn expression(&mut self) -> Result<Query, String> {
        let mut query = Query::default();
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token {
                Token::Name(name) if OPERATORS.contains(&name.as_str()) => {}
                Token::Name(name) if AGGREGATIONS.contains(&name.as_str()) => {
                    if self.next_is_name("by") {
                        self.at += 1;
                        query.kept.extend(self.names()?);
                    }
                    self.open(name)?;
                }
                Token::Name(name) if FUNCTIONS.contains(&name.as_str()) => self.open(name)?,
                Token::Name(name) => query.selectors.push(self.selector(name)?),
                Token::Sign(sign) if sign == "(" => self.calls.push(String::new()),
                Token::Sign(sign) if sign == ")" => {
                    self.calls.pop().ok_or("a bracket too many is closed")?;
                }
                Token::Sign(sign) if sign == "{" || sign == "}" => {
                    return Err("a selector without a metric".to_owned());
                }
                Token::Sign(_) | Token::Number(_) => {}
                Token::Text(text) => return Err(format!("a lone text {text:?}")),
                Token::Range(range) => return Err(format!("a lone range [{range}]")),
            }
        }
        if self.calls.is_empty() {
            Ok(query)
        } else {
            Err("a bracket is not closed".to_owned())
        }
    }

    fn next_is_name(&self, name: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Name(next)) if next == name)
    }

    fn next_is_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if next == sign)
    }

    fn open(&mut self, function: &str) -> Result<(), String> {
        self.sign("(")?;
        self.calls.push(function.to_owned());
        Ok(())
    }

    fn sign(&mut self, sign: &str) -> Result<(), String> {
        if !self.next_is_sign(sign) {
            return Err(format!(
                "{sign} is missing before {:?}",
                self.tokens.get(self.at)
            ));
        }
        self.at += 1;
        Ok(())
    }

    /// `(a, b)`
    fn names(&mut self) -> Result<Vec<String>, String> {
        self.sign("(")?;
        let mut names = Vec::new();
        while !self.next_is_sign(")") {
            match self.tokens.get(self.at) {
                Some(Token::Name(name)) => names.push(name.clone()),
                Some(Token::Sign(sign)) if sign == "," => {}
                other => return Err(format!("{other:?} among labels")),
            }
            self.at += 1;
        }
        self.sign(")")?;
        Ok(names)
    }

    fn selector(&mut self, metric: &str) -> Result<Selector, String> {
        let mut selector = Selector {
            metric: metric.to_owned(),
            ..Selector::default()
        };
        if self.next_is_sign("(") {
            return Err(format!("{metric} is not a function these tests know"));
        }
        if self.next_is_sign("{") {
            self.at += 1;
            while !self.next_is_sign("}") {
                selector.matchers.push(self.matcher()?);
                if self.next_is_sign(",") {
                    self.at += 1;
                }
            }
            self.at += 1;
        }
        if let Some(Token::Range(range)) = self.tokens.get(self.at) {
            selector.range = Some(range.clone());
            self.at += 1;
        }
        let call = self.calls.last().filter(|call| !call.is_empty());
        selector.within = call.cloned().filter(|_| self.next_is_sign(")"));
        Ok(selector)
    }

    fn matcher(&mut self) -> Result<(String, String, String), String> {
        let Some(
            [
                Token::Name(label),
                Token::Sign(operator),
                Token::Text(value),
            ],
        ) = self.tokens.get(self.at..self.at + 3)
        else {
            return Err(format!("no matcher at {:?}", self.tokens.get(self.at)));
        };
        if !["=", "!=", "=~", "!~"].contains(&operator.as_str()) {
            return Err(format!("{operator} compares no labels"));
        }
        self.at += 3;
        Ok((label.clone(), operator.clone(), value.clone()))
    }
}

/// An expression as Grafana sends it, `All` chosen everywhere.
pub(crate) fn substituted(expression: &str, rate_interval: &str, range: &str) -> String {
    let sent = expression
        .replace("$__rate_interval", rate_interval)
        .replace("$__range", range)
        .replace("$job", ".+")
        .replace("$instance", ".+");
    assert!(!sent.contains('$'), "a variable is left in {sent}");
    sent
}

#[test]
fn reads_what_an_expression_selects() {
    let query = read(
        r#"sum by (le, a) (rate(b_bucket{c=~"$d", e="(f"}[$__g])) / clamp_min(h:i, 1.5) or 2 * j offset 5m"#,
    );

    let selector = |metric: &str| Selector {
        metric: metric.to_owned(),
        ..Selector::default()
    };
    let matcher = |label: &str, operator: &str, value: &str| {
        (label.to_owned(), operator.to_owned(), value.to_owned())
    };
    let expected = Query {
        selectors: vec![
            Selector {
                matchers: vec![matcher("c", "=~", "$d"), matcher("e", "=", "(f")],
                range: Some("$__g".to_owned()),
                within: Some("rate".to_owned()),
                ..selector("b_bucket")
            },
            selector("h:i"),
            selector("j"),
        ],
        kept: vec!["le".to_owned(), "a".to_owned()],
    };
    assert_eq!(query, Ok(expected));
}

#[test]
fn refuses_what_it_cannot_read() {
    for broken in [
        "",
        "1 + 2",
        "sum(a",
        "a)",
        "sum a",
        "sum by (a b{}) (c)",
        "predict_linear(a[5m])",
        r#"a{b="c}"#,
        r#"a{b>"c"}"#,
        r#"{b="c"}"#,
        "a{b=c}",
        "[5m]",
        "a[5m",
        "a ; b",
    ] {
        assert!(read(broken).is_err(), "{broken}");
    }
}
